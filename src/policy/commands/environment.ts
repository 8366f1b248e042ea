/** Variables that change what programs do. */
import type { ExpandedWord } from "./expanded-word.js";
import type { SegmentFacts } from "./segment-facts.js";

/** Names, and beginnings of names that end with `*`. */
const CHANGES_PROGRAMS = `
  PATH IFS ENV ZDOTDIR FPATH GLIBC_TUNABLES GETCONF_DIR BASH_* DIRSTACK SHELL SHELLOPTS BASHOPTS CDPATH GLOBIGNORE PROMPT_COMMAND PS0 PS1 PS4 HOME TMPDIR EXECIGNORE POSIXLY_CORRECT
  XDG_* LD_* DYLD_* GCONV_PATH LOCPATH NLSPATH TERMINFO TERMINFO_DIRS HOSTALIASES RES_OPTIONS MALLOC_*
  GIT_* EDITOR VISUAL PAGER MAN_* MANLESS MANOPT MANPAGER MANPATH MANROFF* GROFF_* BC_ENV_ARGS LESS* ACK* DELTA_* SYSTEMD_* MORE BROWSER SUDO_* SSH_* DISPLAY
  NODE_* VITEST* JEST* npm_config_* NPM_CONFIG_* YARN_* PNPM_* BUN_* DENO_* COREPACK_* TS_NODE_*
  PYTEST_* COVERAGE_* MYPY*
  PYENV_* RBENV_* NODENV_* NVM_* FNM_* VOLTA_* ASDF_* MISE_* SDKMAN_* APT_* DPKG_* HOMEBREW_* CONDARC XML_CATALOG_FILES
  PYTHON* PIP_* UV_* VIRTUAL_ENV CONDA_* POETRY_* PERL* RUBY* GEM_* BUNDLE_* RAKE* PHP* LUA_* TCL* R_*
  JAVA_* _JAVA_OPTIONS JDK_* MAVEN_* GRADLE_* ANT_* CLASSPATH KOTLIN_* SBT_* DOTNET_* NUGET_* MSBUILD*
  CARGO* RUST* GO* CGO_* CC CXX CPP LD AR AS NM RANLIB CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKE MAKEFLAGS MAKEFILES GNUMAKEFLAGS CMAKE_* NINJA_* CCACHE_*
  DOCKER_* BUILDKIT_* COMPOSE_* CONTAINER_* KUBE* HELM_* TF_* AWS_* GOOGLE_* AZURE_* GH_* VAULT_*
  TAR_OPTIONS GREP_OPTIONS RIPGREP_CONFIG_PATH CURL_* WGETRC RSYNC_* ZIPOPT UNZIP GZIP XZ_* ZSTD_* FZF_* BAT_* JQ_* AWKPATH AWKLIBPATH SQLITE_* PG* MYSQL_*
  HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY http_proxy https_proxy all_proxy ftp_proxy no_proxy SSL_* OPENSSL_* REQUESTS_CA_BUNDLE GNUPGHOME
  HAFT_*
`
  .trim()
  .split(/\s+/);

const EXACT = new Set(CHANGES_PROGRAMS.filter((name) => !name.endsWith("*")));
const BEGINNINGS = CHANGES_PROGRAMS.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

/** Names of the families above that only change what is printed or recorded. */
const HARMLESS = new Set(
  `GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT
   GIT_OPTIONAL_LOCKS GIT_PS1_SHOWDIRTYSTATE GIT_FLUSH GIT_LITERAL_PATHSPECS GIT_MERGE_AUTOEDIT
   PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PIP_NO_INPUT PIP_DISABLE_PIP_VERSION_CHECK
   NODE_ENV NODE_DEBUG NODE_NO_WARNINGS NODE_DISABLE_COLORS PYTEST_DISABLE_PLUGIN_AUTOLOAD JEST_WORKER_ID VITEST_MAX_THREADS VITEST_MIN_THREADS
   PERL_BADLANG CARGO_TERM_COLOR CARGO_TERM_VERBOSE CARGO_TERM_PROGRESS_WHEN CARGO_INCREMENTAL CARGO_BUILD_JOBS CARGO_NET_OFFLINE
   RUST_BACKTRACE RUST_LOG RUST_MIN_STACK RUST_TEST_THREADS GOOS GOARCH GOGC GOMAXPROCS GOMEMLIMIT CGO_ENABLED
   DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO DOCKER_BUILDKIT BUILDKIT_PROGRESS
   COMPOSE_PROGRESS GH_PROMPT_DISABLED
   BASH_VERSION BASH_VERSINFO BASH_SOURCE BASH_REMATCH BASH_LINENO`.split(/\s+/),
);

/** Values with which a pager or an editor does nothing of its own. */
const HARMLESS_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  PAGER: ["cat", "", "less"],
  MANPAGER: ["cat", ""],
  GIT_PAGER: ["cat", "", "less"],
  GH_PAGER: ["cat", ""],
  AWS_PAGER: ["cat", ""],
  EDITOR: ["true", ":", "cat"],
  VISUAL: ["true", ":", "cat"],
  GIT_EDITOR: ["true", ":", "cat"],
  GIT_SEQUENCE_EDITOR: ["true", ":", "cat"],
  LESS: ["FRX", "-FRX", "R", "-R", ""],
};

/** Whether setting the variable can change which program runs, or what known programs do. */
export function changesPrograms(name: string): boolean {
  return !HARMLESS.has(name) && (EXACT.has(name) || BEGINNINGS.some((beginning) => name.startsWith(beginning)));
}

/** Judges one assignment. `value` is undefined if something sets the variable that is not known before the run. */
export function judgeAssignment(facts: SegmentFacts, name: string, value: ExpandedWord | undefined): void {
  if (!changesPrograms(name)) return;
  const harmless = Object.hasOwn(HARMLESS_PROGRAMS, name) ? HARMLESS_PROGRAMS[name] : undefined;
  if (value !== undefined && !value.isUnresolved && harmless?.includes(value.value) === true) return;
  facts.problem("environment", `sets \`${name}\`, which changes what programs do`);
}
