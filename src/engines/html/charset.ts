import {
  decodeText,
  detectEncoding,
  detectLegacyEncoding,
  findEncoding,
  incompleteTailLength,
  isUtf8,
  parseContentType,
  type TextEncodingName,
} from "../../text/index.js";

export interface DecodedPage {
  /** Without its BOM. */
  readonly text: string;
  readonly charset: TextEncodingName;
  /** Sentences about what was not as declared, and what could not be decoded. */
  readonly notes: string[];
}

/** The HTML standard looks at 1,024 bytes; pages with long comments or scripts before their charset exist. */
const PRESCAN_BYTES = 4_096;

/**
 * Decodes a page. Its charset is named by the BOM, else by the content type, else by the page itself (`meta`, XML
 * declaration), else it is detected. As in browsers a charset that is declared is used, whatever the bytes look like; an
 * unknown one is noted and disregarded.
 */
export async function decodePage(bytes: Uint8Array, contentType: string | undefined): Promise<DecodedPage> {
  const notes: string[] = [];
  const charset = await charsetOf(bytes, contentType ?? "", notes);
  // The body may be truncated within a character.
  const tail = charset === "utf-8" ? incompleteTailLength(bytes) : 0;
  const { text, replaced } = decodeText(tail > 0 ? bytes.subarray(0, bytes.length - tail) : bytes, charset);
  if (replaced > 0)
    notes.push(
      `${replaced} ${replaced === 1 ? "byte sequence is" : "byte sequences are"} not valid ${charset} and shown as U+FFFD.`,
    );
  return { text, charset, notes };
}

async function charsetOf(bytes: Uint8Array, contentType: string, notes: string[]): Promise<TextEncodingName> {
  const detected = detectEncoding(bytes, { isPrefix: true });
  if (detected.hasBom) return detected.encoding;
  const declared = declaredCharset(parseContentType(contentType).charset, "The content type", notes);
  if (declared !== undefined) {
    noteMismatch(bytes, declared, notes);
    return declared;
  }
  // Without a BOM its own declaration cannot be read as ASCII.
  if (detected.encoding.startsWith("utf-16")) return detected.encoding;
  const own = ownCharset(bytes, notes);
  if (own !== undefined) {
    noteMismatch(bytes, own, notes);
    return own;
  }
  if (detected.confident) return detected.encoding;
  return detectLegacyEncoding(bytes);
}

function noteMismatch(bytes: Uint8Array, declared: TextEncodingName, notes: string[]): void {
  if (declared === "utf-8" || declared.startsWith("utf-16") || declared === "iso-2022-jp") return;
  const whole = bytes.subarray(0, bytes.length - incompleteTailLength(bytes));
  if (isUtf8(whole) && whole.some((byte) => byte >= 0x80)) {
    notes.push(`The page is declared and decoded as ${declared}, although its bytes are valid UTF-8.`);
  }
}

function declaredCharset(label: string | undefined, where: string, notes: string[]): TextEncodingName | undefined {
  if (label === undefined) return undefined;
  const name = findEncoding(label);
  if (name === undefined) notes.push(`${where} names the unknown charset ${JSON.stringify(label.slice(0, 40))}.`);
  return name;
}

/** What the start of the page says about itself. Text that can be read as ASCII is not UTF-16. */
function ownCharset(bytes: Uint8Array, notes: string[]): TextEncodingName | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, PRESCAN_BYTES));
  const name = metaCharset(head, notes) ?? xmlCharset(head, notes);
  return name?.startsWith("utf-16") ? "utf-8" : name;
}

function metaCharset(head: string, notes: string[]): TextEncodingName | undefined {
  const visible = head.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
  for (const [tag] of visible.matchAll(/<meta[\s/][^>]{0,1000}/gi)) {
    // In `content="text/html; charset=x"` as well as in `charset="x"`.
    const name = declaredCharset(/charset\s*=\s*(?:["']\s*)?([^\s;"']+)/i.exec(tag)?.[1], "The page", notes);
    if (name !== undefined) return name;
  }
  return undefined;
}

function xmlCharset(head: string, notes: string[]): TextEncodingName | undefined {
  const label = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([^"']{1,40})["']/i.exec(head)?.[1];
  return declaredCharset(label, "The page", notes);
}
