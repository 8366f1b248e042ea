/** Turns the arguments of the model into the input of the tool: coerce, target, repair, validate, decode. */

import { nearestNames, pathOfFileUrl } from "../text/index.js";
import { type CallRun, type Ending, invalid, placeOn, type Step, sourceRun } from "./call-run.js";
import { isRecord } from "./coerce.js";
import type { AnyPresenter } from "./dialect.js";
import { maskHeaders } from "./mask-headers.js";
import { mapTexts, redactEscaped } from "./redact-text.js";
import { repair } from "./repair.js";
import type { JsonSchema } from "./schema.js";
import { shownEcho } from "./shown-name.js";
import type { Target } from "./target.js";
import { hasOwn } from "./target-parameter.js";
import type { Validated, Validator } from "./validate.js";
import { after } from "./with-timeout.js";

/** Makes an object of the arguments and takes the targets from them; an ending when that is not possible. Opens nothing. */
export function chooseTarget(run: CallRun): Step {
  const { presenter } = run.tool;
  const { coerced } = run;
  if ("problem" in coerced) return invalid(run, coerced.problem);
  if (coerced.note !== undefined) run.notes.push(coerced.note);
  const { value } = coerced;
  const bareString = typeof value === "string" ? presenter?.bareString : undefined;
  return takeTargets(run, bareString === undefined ? value : { [bareString]: value });
}

/** Fills in the arguments, the input and the limits; an ending when the arguments cannot be used. */
export function prepare(run: CallRun, validate: Validator): Step | PromiseLike<Step> {
  const { tool } = run;
  const { presenter } = tool;
  const unknownParameter = tool.dialect?.unknownParameter ?? "refuse";
  const mended = repair(run.bag, tool.parameters, {
    unknownParameter,
    ...(presenter === undefined
      ? {}
      : {
          aliases: presenter.aliases ?? {},
          acceptsEmpty: presenter.acceptsEmpty ?? [],
          preconditions: presenter.preconditions ?? [],
        }),
  });
  run.notes.push(...mended.notes);
  if (mended.problem !== undefined) return invalid(run, mended.problem);

  const value = replaceUnknownValues(mended.value, tool.parameters, presenter?.unknownValues);
  return after(validate(value), (checked) =>
    "problem" in checked ? refuse(run, validate, value, checked) : takeArguments(run, checked.value),
  );
}

function replaceUnknownValues(
  value: unknown,
  { properties }: JsonSchema,
  replacements: AnyPresenter["unknownValues"] = {},
): unknown {
  if (!isRecord(value) || !isRecord(properties)) return value;
  const unknown = Object.entries(replacements).filter(([name]) => {
    const schema = properties[name];
    const isKnown = isRecord(schema) && Array.isArray(schema.enum) && schema.enum.includes(value[name]);
    return typeof value[name] === "string" && !isKnown;
  });
  return unknown.length === 0 ? value : { ...value, ...Object.fromEntries(unknown) };
}

/** The problem may quote the start of a value, in which a redactor would not find a secret: it is stated of the redacted values. */
function refuse(
  run: CallRun,
  validate: Validator,
  value: unknown,
  problem: Exclude<Validated, { value: unknown }>,
): Ending | PromiseLike<Ending> {
  const { redactor } = run.context.host;
  if (redactor === undefined) return invalid(run, problem.problem, { ...problem });
  const redact = (text: string) => redactEscaped(redactor, text);
  return after(validate(mapTexts(maskHeaders(value), redact, redact)), (checked) => {
    const shown = "problem" in checked ? checked : problem;
    return invalid(run, shown.problem, { ...shown });
  });
}

function takeArguments(run: CallRun, value: unknown): Step {
  const { presenter } = run.tool;
  run.args = isRecord(value) ? value : {};
  const unusable = resolveFileUrls(run, presenter?.paths ?? []);
  if (unusable !== undefined) return unusable;
  if (presenter !== undefined) return decode(run, presenter);
  run.input = value;
  return undefined;
}

/** Converts a `file:` URL to its path, since it would otherwise be a relative path. */
function resolveFileUrls(run: CallRun, parameters: readonly string[]): Ending | undefined {
  for (const parameter of parameters) {
    const url = run.args[parameter];
    const named = typeof url === "string" ? pathOfFileUrl(url) : undefined;
    if (named === undefined) continue;
    if ("problem" in named) {
      const problem = `\`${parameter}\` is an invalid \`file:\` URL: ${named.problem}. Send the path itself`;
      return invalid(run, problem, { parameter });
    }
    run.args = { ...run.args, [parameter]: named.path };
    run.notes.push(
      `\`${parameter}\` was a \`file:\` URL and was converted to ${JSON.stringify(shownEcho(named.path))}.`,
    );
  }
  return undefined;
}

function decode(run: CallRun, presenter: AnyPresenter): Step {
  const decoded = presenter.decode(run.args);
  if ("problem" in decoded) {
    const { problem, ...details } = decoded;
    return invalid(run, problem, details);
  }
  run.input = decoded.input;
  run.limits = Object.freeze({ ...(run.tool.body.limits as object), ...presenter.limits, ...decoded.limits });
  run.notes.push(...(decoded.notes ?? []));
  return undefined;
}

/** Takes the targets from the arguments: where the call runs, and where it reads from. */
function takeTargets(run: CallRun, bag: unknown): Step {
  run.bag = bag;
  const target = takeTarget(run, "on");
  if ("status" in target) return target;
  if (target.name !== run.context.target.name) Object.assign(run, placeOn(run.context, target));
  const { sourceParameter } = run.tool.body;
  if (sourceParameter === undefined) return undefined;
  const source = takeTarget(run, sourceParameter.name);
  if ("status" in source) return source;
  if (source.name !== target.name) run.source = sourceRun(run, source);
  return undefined;
}

/** Removes the parameter from the arguments if there are several targets. @returns What it chooses, by default the target of the call. */
function takeTarget(run: CallRun, parameter: string): Target | Ending {
  const { bag, target: own } = run;
  if (!isRecord(bag) || !Object.hasOwn(bag, parameter) || hasOwn(run.tool.parameters, parameter)) return own;
  const { targets = {} } = run.context;
  const names = Object.keys(targets);
  const { [parameter]: name, ...rest } = bag;
  if (names.length < 2) return (name === null ? undefined : refuseChoice(run, parameter)) ?? own;
  run.bag = rest;
  if (name === null) return own;
  const target = typeof name === "string" && Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (target !== undefined) return target;
  const near = typeof name === "string" ? nearestNames(name, names, 1)[0] : undefined;
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  const choice = names.map((one) => `"${one}"`).join(", ");
  const problem = `\`${parameter}\` was ${shownEcho(JSON.stringify(name))}${hint}; it takes one of ${choice}`;
  return invalid(run, problem, { parameter });
}

/** With one target it is an unknown parameter like any other; the message says why it is. */
function refuseChoice(run: CallRun, parameter: string): Ending | undefined {
  const { parameters, dialect } = run.tool;
  if (parameters.additionalProperties !== false || dialect?.unknownParameter === "ignore") return undefined;
  const only = JSON.stringify(run.context.target.name);
  return invalid(run, `\`${parameter}\` chooses between several targets, and there is only ${only}. Leave it out`, {
    parameter,
  });
}
