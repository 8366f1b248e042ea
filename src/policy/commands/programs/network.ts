/** Programs that connect to other machines. */
import { hostOf, looksLikePath } from "../apply-spec.js";
import { hasOption } from "../call-options.js";
import { literalWord, withoutPrefix } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";

const ASKS: ProgramSpec = { does: "medium network", why: "asks a name server", operands: "text*" };
const CLIENT: ProgramSpec = { does: "high network", why: "acts on another system", operands: "maybe*" };
const DATABASE: ProgramSpec = {
  does: "high network",
  why: "runs statements in a database",
  operands: "text*",
  options: { "-f --file": "read", "-o --output -L --log-file": "write", "-h --host": "host" },
};

const curl: ProgramSpec = {
  does: "medium network",
  why: "sends a request",
  operands: "url*",
  info: "--version -V --help -h",
  options: {
    "-X --request": "text",
    "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --hsts --alt-svc --etag-save --libcurl":
      "write",
    "--output-dir": "write",
    "-O --remote-name --remote-name-all -J --remote-header-name": "medium",
    "-d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string --url-query":
      "text high",
    "-T --upload-file": "read high",
    "-K --config": "read high",
    "-x --proxy --preproxy --socks4 --socks5 --socks4a --socks5-hostname --connect-to --resolve --doh-url --dns-servers --interface --unix-socket --abstract-unix-socket":
      "text high",
    "-b --cookie --cacert --capath -E --cert --key --netrc-file --etag-compare --pinnedpubkey": "read",
    "-n --netrc --netrc-optional": "high",
    "-Q --quote --postquote --prequote --mail-from --mail-rcpt --telnet-option -t": "text high",
    "-H --header -A --user-agent -e --referer -u --user -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -r --range -w --write-out -C --continue-at -Y -y --limit-rate --max-redirs --max-filesize --ciphers --tls-max --tlsv1.2 --parallel-max --proto --rate":
      "text",
    "-s --silent -S --show-error -f --fail -L --location -v --verbose -i --include -I --head --compressed -g --globoff -4 --ipv4 -6 --ipv6 -# --progress-bar -N --no-buffer --http1.1 --http2 --fail-with-body -Z --parallel -R --remote-time --create-dirs --path-as-is -G --get":
      "",
    "-k --insecure": "high",
    "--url": "url",
  },
  judge: judgeCurl,
};

const FILE_URL = /^file:\/\/(localhost)?/i;

function judgeCurl(call: ProgramCall): void {
  const { facts, parsed, state } = call;
  for (const { name, values } of parsed.options) {
    const [value] = values;
    if (value === undefined) continue;
    if ((name === "-X" || name === "--request") && !/^(GET|HEAD)$/i.test(value.value))
      facts.raise("high", "sends a request that may change something");
    // `@file` is sent.
    const file = /^(?:[^=@]*=)?[@<](.*)$/s.exec(value.value)?.[1];
    if (/^(-d|--data.*|--json|-F|--form|-H|--header|--url-query)$/.test(name) && file !== undefined) {
      facts.file({ ...value, value: file, prefix: value.isUnresolved ? "" : file, pattern: file }, "read");
    }
    if (name === "-w" || name === "--write-out") {
      if (value.prefix.startsWith("@")) {
        facts.file(withoutPrefix(value, 1), "read");
        facts.raise("high", "takes its output format from a file");
      } else if (/%output\{/.test(value.value)) facts.raise("high", "writes to a file that its output format names");
    }
    // They name further hosts.
    if (name === "-K" || name === "--config" || (name === "--url" && value.prefix.startsWith("@")))
      facts.connects(undefined);
  }
  for (const word of parsed.operands) {
    if (!FILE_URL.test(word.value)) continue;
    const path = word.value.replace(FILE_URL, "");
    facts.file({ ...word, value: path, prefix: path, pattern: path }, "read");
  }
  if (hasOption(call, "-O", "--remote-name", "--remote-name-all")) {
    for (const path of state.directories ?? []) facts.file(literalWord(path), "write", "tree");
  }
}

/** `host:path` is on another machine, everything else here. */
function judgeCopy({ parsed, facts }: ProgramCall): void {
  parsed.operands.forEach((word, index) => {
    const isLast = index === parsed.operands.length - 1;
    const remote = /^(?:[^/:]+@)?([^/:]+):/.exec(word.value);
    if (remote !== null && !word.isUnresolved) {
      facts.connects(hostOf(word.value));
      return;
    }
    if (word.isUnresolved) facts.network = true;
    facts.file(word, isLast ? "write" : "read", "tree");
  });
}

function rsyncDeletes(call: ProgramCall): void {
  judgeCopy(call);
  const { parsed, facts } = call;
  facts.follows = hasOption(call, "-L", "--copy-links", "-k", "--copy-dirlinks", "--copy-unsafe-links");
  if (hasOption(call, "-n", "--dry-run")) return;
  const isDeleting = parsed.options.some(({ name }) => name.startsWith("--del") || name === "--remove-source-files");
  const target = parsed.operands.at(-1);
  if (isDeleting && target !== undefined && !/^[^/]*:/.test(target.value)) facts.file(target, "delete", "tree");
  if (isDeleting) facts.raise("high", "rsync deletes files");
}

export const NETWORK: ProgramTable = {
  curl,
  wget: {
    does: "medium network",
    why: "downloads files",
    operands: "url*",
    options: {
      "-O --output-document -o --output-file -a --append-output -P --directory-prefix --save-cookies --warc-file":
        "write",
      "-i --input-file --load-cookies --ca-certificate --certificate --private-key": "read",
      "--post-data --body-data --method": "text high",
      "--post-file --body-file": "read high",
      "-e --execute --use-askpass": "text high",
      "--config": "read high",
      "--no-check-certificate": "high",
      "-q --quiet -nv --no-verbose -c --continue -N --timestamping -S --server-response --spider -4 -6 --show-progress -nc --no-clobber -r --recursive -np --no-parent -p --page-requisites -k --convert-links -m --mirror -H --span-hosts":
        "",
      "-U --user-agent --header -T --timeout -t --tries -w --wait -Q --quota -l --level -A -R -D -X -I --user --password --limit-rate":
        "text",
    },
    judge: ({ parsed, facts, state }) => {
      if (parsed.options.some(({ name }) => /^(-i|--input-file|--config|-e|--execute|-H|--span-hosts)$/.test(name)))
        facts.connects(undefined);
      const isElsewhere = parsed.options.some(({ name }) =>
        /^(-O|--output-document|-P|--directory-prefix|--spider)$/.test(name),
      );
      if (!isElsewhere) for (const path of state.directories ?? []) facts.file(literalWord(path), "write", "tree");
    },
  },
  http: { does: "high network", operands: "maybe*", options: { "-o --output": "write" } },
  https: { does: "high network", operands: "maybe*", options: { "-o --output": "write" } },
  scp: {
    does: "high network",
    why: "copies files to or from another machine",
    operands: "text*",
    options: { "-c -D -J -l -P -X": "text", "-F -i": "read", "-o -S": "high text" },
    judge: judgeCopy,
  },
  sftp: { does: "high network", operands: "text*", options: { "-b": "read", "-o -S -D": "high text" } },
  rsync: {
    does: "medium tree",
    why: "copies files",
    operands: "text*",
    options: {
      "-e --rsh --rsync-path": "high shell",
      "--exclude --include -f --filter --chmod --bwlimit --timeout --port --info --out-format --max-size --min-size":
        "text",
      "--exclude-from --include-from --files-from --password-file": "read",
      "--log-file --partial-dir -T --temp-dir --backup-dir --compare-dest --copy-dest --link-dest --write-batch":
        "write",
      "--daemon --config": "high",
    },
    judge: rsyncDeletes,
  },
  nc: {
    does: "high network",
    why: "opens a raw connection",
    operands: "host text*",
    options: { "-e -c --exec --sh-exec": "shell", "-p -s -w -q -i -x -X": "text" },
  },
  ncat: {
    does: "high network",
    why: "opens a raw connection",
    operands: "host text*",
    options: { "-e -c --exec --sh-exec": "shell" },
  },
  netcat: { does: "high network", operands: "host text*", options: { "-e -c": "shell" } },
  socat: { does: "high network", why: "opens a raw connection", operands: "text*" },
  telnet: { does: "high network", operands: "host text*" },
  ftp: { does: "high network", operands: "host text*" },
  openssl: {
    operands: "text*",
    commands: {
      version: { closed: true, singleHyphen: true, operands: "text*", options: { "-a -v -d -b -p": "" } },
      "s_client s_server s_time ocsp": { does: "high network", operands: "text*" },
    },
    otherwise: {
      does: "medium",
      operands: "text*",
      options: { "-in -inkey -CAfile -cert -key -config": "read", "-out -keyout -CAserial": "write" },
      singleHyphen: true,
    },
  },
  gpg: {
    does: "high",
    why: "uses keys",
    operands: "read*",
    options: { "-o --output": "write" },
    info: "--version --help",
  },
  "ssh-keygen": {
    does: "high",
    why: "creates or changes keys",
    operands: "text*",
    options: { "-f": "change", "-t -b -C -N -P": "text" },
  },
  "ssh-copy-id": CLIENT,
  "ssh-add": { does: "high", operands: "read*" },
  ping: { does: "medium network", operands: "host", options: { "-c -i -w -W -s -t": "text" } },
  ping6: { does: "medium network", operands: "host" },
  traceroute: { does: "medium network", operands: "host text*" },
  mtr: { does: "medium network", operands: "host" },
  dig: ASKS,
  host: ASKS,
  nslookup: ASKS,
  whois: ASKS,
  nmap: {
    does: "high network",
    operands: "host*",
    options: { "-oN -oX -oG -oA": "write", "-iL": "read", "--script": "high text" },
  },
  ip: {
    operands: "text*",
    closed: true,
    options: {
      "-4 -6 -s -d -o -c -r -j -p -h -br -brief -color -json -pretty -details -stats -human": "",
      "-f -family": "text",
    },
    judge: judgeIp,
  },
  iptables: { does: "high", operands: "text*" },
  nft: { does: "high", operands: "text*" },
  ufw: { does: "high", operands: "text*" },
  "firewall-cmd": { does: "high", operands: "text*" },
  gh: {
    does: "network",
    info: "--version --help version",
    operands: "text*",
    options: { "-R --repo": "text" },
    commands: {
      "pr issue run release repo workflow gist label": {
        does: "medium network",
        commands: {
          "list view status diff checks": { does: "medium network", why: "asks the server", operands: "text*" },
        },
        otherwise: {
          does: "high network",
          why: "acts on the server",
          operands: "text*",
          options: { "-F --body-file": "read" },
        },
      },
    },
    otherwise: { does: "high network", why: "acts on the server", operands: "text*" },
  },
  glab: CLIENT,
  aws: CLIENT,
  gcloud: CLIENT,
  az: CLIENT,
  heroku: CLIENT,
  vercel: CLIENT,
  netlify: CLIENT,
  fly: CLIENT,
  kubectl: CLIENT,
  helm: CLIENT,
  terraform: { ...CLIENT, singleHyphen: true, info: "version -version --version --help -help" },
  ansible: CLIENT,
  "ansible-playbook": CLIENT,
  vault: CLIENT,
  psql: DATABASE,
  mysql: DATABASE,
  mongo: DATABASE,
  mongosh: DATABASE,
  "redis-cli": DATABASE,
  sqlite3: {
    does: "high",
    why: "runs statements, and commands with `.shell`",
    operands: "change text*",
    options: { "-init": "script", "-cmd -separator": "text" },
  },
  rclone: CLIENT,
};

/** `ip addr`, `ip route show` only show. */
function judgeIp({ parsed, facts }: ProgramCall): void {
  const [, verb] = parsed.operands;
  if (verb !== undefined && !/^(s|sh|sho|show|l|ls|list|get)$/.test(verb.value))
    facts.raise("high", "changes the network of the machine");
  for (const word of parsed.operands) if (looksLikePath(word)) facts.file(word, "read");
}
