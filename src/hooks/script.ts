/** The hook command: one shell script for all programs and events, kept in Bellhop's home. */
import type { HookedProgram } from "./hooked-program.ts";
import { HOOK_SIGN } from "./sign.ts";

/** Events for which the program reads the hook's output; every other hook prints nothing. */
const ANSWERED_EVENTS: readonly string[] = ["SessionStart", "UserPromptSubmit", "BeforeAgent"];

/** The variables that a hook passes on if it can be found by its terminal. */
export const TERMINAL_VARIABLES: readonly string[] = ["BELLHOP_SESSION_ID", "TMUX", "TMUX_PANE"];

export const HOOK_LIMITS = {
  /** The agent waits for the hook: a late receipt, through the spool, is better than a late prompt. */
  deadlineSeconds: 2,
  /** The spool grows this large only if Bellhop is no longer used. */
  spooledEvents: 10_000,
} as const;

type Limits = { readonly [K in keyof typeof HOOK_LIMITS]: number };
type Scripted = Pick<HookedProgram, "name" | "environment" | "brief">;

/**
 * Portable shell, silent, always exit 0. `curl` takes a tenth of the time that starting Node takes; without it the
 * `bellhop` command does the same. Events that the daemon does not accept in time go to the spool, atomically.
 */
export function hookScript(programs: readonly Scripted[], limits: Limits = HOOK_LIMITS): string {
  return `#!/bin/sh
# Tells Bellhop what an agent program does. Written by "bellhop hooks install", removed by "bellhop hooks remove".
# bellhop-hook PROGRAM EVENT < payload
exec 2>/dev/null
umask 077
PATH=$PATH:/usr/bin:/bin
[ -t 0 ] && exit 0
# A turn without a terminal is no session: whoever runs it knows what it does.
[ -n "$BELLHOP_TURN" ] && exit 0
home=\${0%/hooks/*}
program=$1
event=$2
brief=
case $program:$event in
${briefCases(programs)}
  *) payload=$(cat) ;;
esac

# Where "date" knows no milliseconds, the daemon or the spool file's own time stands for them.
now=$(date +%s%3N)
case $now in
  *[!0-9]*) now= ;;
  ?????????????) ;;
  *) now= ;;
esac

environment=
add() {
  case $2 in
    '' | *[[:cntrl:]]*) return ;;
    *[\\"\\\\]*) value=$(printf '%s' "$2" | sed 's/[\\\\"]/\\\\&/g') ;;
    *) value=$2 ;;
  esac
  environment=$environment\${environment:+,}'"'$1'":"'$value'"'
}
case $program in
${environmentCases(programs)}
esac

request() {
  printf '{"program":"%s","event_name":"%s",%s,%s"environment":{%s},"payload":%s}' \\
    "$program" "$event" "$says" "\${now:+\\"emitted_at\\":$now,}" "$environment" "\${payload:-null}"
}

${handingOver(limits)}`;
}

/** What may be large comes last and is left out. */
function briefCases(programs: readonly Scripted[]): string {
  return briefEvents(programs)
    .map(
      ({ pattern, field }) => `  ${pattern})
    # Mostly nothing waits; then nobody is asked.
    [ -e "$home/run/${HOOK_SIGN}" ] || { cat >/dev/null; exit 0; }
    brief=yes payload=$(sed 's/,"${field}":.*$/}/')
    ;;`,
    )
    .join("\n");
}

function briefEvents(programs: readonly Scripted[]) {
  return programs.flatMap(({ name, brief = {} }) =>
    Object.entries(brief).map(([event, field]) => ({ pattern: `${name}:${event}`, field })),
  );
}

/** The environment variables that each program's hooks pass on. */
function environmentCases(programs: readonly Scripted[]): string {
  const passed: readonly (readonly [string, readonly string[]])[] = [
    ...programs.map(({ name, environment }) => [name, environment] as const),
    // A program that the owner taught Bellhop.
    ["*", TERMINAL_VARIABLES],
  ];
  const cases = passed.map(([program, names]) => {
    const lines = names.map((name) => `\n    add ${name} "$${name}"`);
    return `  ${program})${lines.join("")}\n    ;;`;
  });
  return cases.join("\n");
}

/**
 * Sends to the daemon, or else writes to the spool. If the daemon has text for this hook, it answers with a code. The
 * next request shows the code in its command line, where only a process of this program can have it, and gets the text;
 * a last one tells that the text is printed.
 */
function handingOver(limits: Limits): string {
  return `# -q: a person's own .curlrc must not change anything here.
if command -v curl >/dev/null; then
  send() {
    curl -q -s -f -m ${limits.deadlineSeconds} --noproxy '*' --unix-socket "$home/run/http.sock" \\
      -H 'Content-Type: application/json' -H 'Expect:' --data-binary @- "http://localhost/$1"
  }
elif command -v bellhop >/dev/null; then
  send() { BELLHOP_HOME=$home bellhop hook "$1"; }
else
  send() { return 1; }
fi

spool() {
  spool=$home/spool
  [ -d "$spool" ] || mkdir "$spool" || exit 0
  set -- "$spool"/*.json
  [ $# -lt ${limits.spooledEvents} ] || exit 0
  file=$spool/\${now:-$(date +%s)}-$$
  (set -C && request >"$file.part") && mv "$file.part" "$file.json" || rm -f "$file.part"
  exit 0
}

says='"takes":true'
answer=$(request | send "hooks/$event") || {
  [ -n "$brief" ] || spool
  exit 0
}

case $answer in
  '{"take":"'*) ;;
  *)
    case $event in
      ${ANSWERED_EVENTS.join(" | ")}) printf '%s' "$answer" ;;
    esac
    exit 0
    ;;
esac
code=\${answer#'{"take":"'}
code=\${code%'"}'}
case $code in
  '' | *[!A-Za-z0-9_-]*) exit 0 ;;
esac
text=$(printf '{"pid":%s}' "$$" | send "hook-answers/$code") || exit 0
[ -n "$text" ] || exit 0
printf '%s\\n' "$text" || exit 0
event=AnswerPrinted
says='"answer":"'$code'"'
request | send "hooks/$event" >/dev/null || spool
exit 0
`;
}

/**
 * The command in a program's settings. Programs run it through the person's own shell, so its syntax is plain enough
 * for all of them; it is silent if the script is gone, because an error would appear at every prompt.
 */
export function hookCommand(scriptPath: string, program: string, event: string): string {
  const path = quoted(scriptPath);
  return `test -f ${path} && sh ${path} ${program} ${event} || true`;
}

function quoted(path: string): string {
  return /^[\w/.@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
