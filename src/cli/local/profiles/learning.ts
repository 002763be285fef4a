/** Carries out `bellhop profile learn`: captures what a running program shows, for a report or a new profile. */
import { homedir, hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { ResponseOf } from "../../../wire/verbs/index.ts";
import { type Arguments, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { askLine, canAsk } from "../bridges/prompting.ts";
import { ansiScreen } from "./ansi-screen.ts";
import { writeCapture } from "./capture-files.ts";
import { namelessLine, namelessText, type Whose } from "./nameless.ts";

const CASE = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** What a profile is made from, and what the person does to show it. */
const GUIDE: readonly (readonly [name: string, todo: string])[] = [
  ["idle-empty", "Let it finish, and leave its composer empty."],
  ["typed-single", "Type a few words into its composer. Do not send them."],
  ["typed-multiline", "Make it several lines, if it can. Do not send them."],
  ["busy", "Send something that takes it a while, and leave its composer empty."],
  ["busy-typed", "While it works, type a few words. Do not send them."],
  ["permission-prompt", "Let it ask you for a permission. Do not answer."],
];

export async function learnProfile(context: CommandContext, args: Arguments): Promise<undefined> {
  const who = args.words[0] ?? "";
  const to = args.value("to");
  if (to === undefined) throw usage("A folder is missing.", "Say where to: --to FOLDER");
  const name = args.value("name");
  if (name !== undefined && !CASE.test(name))
    throw usage(
      `"${sanitiseLine(name)}" is no name for a capture.`,
      "Use letters, digits and -, such as: idle-empty",
    );
  const folder = resolve(to);
  if (name !== undefined) {
    const taken = await capture(context, who, folder, name);
    context.out.result(taken, () => context.out.line(told(taken)));
    return;
  }
  if (context.out.json || !canAsk())
    throw usage(
      "There is nobody to guide.",
      "Capture one screen with --name, for example: --name idle-empty",
    );
  await guide(context, who, folder);
}

async function guide(context: CommandContext, who: string, folder: string): Promise<void> {
  const { out } = context;
  out.note(
    "For each screen: do what it says in the program's terminal, then press Enter here. s and Enter skips it.",
  );
  for (const [name, todo] of GUIDE) {
    const answer = await askLine(`${name}: ${todo} [Enter, s]`);
    if (/^s/i.test(answer)) continue;
    out.line(told(await capture(context, who, folder, name)));
  }
  out.line(
    `Look at each .txt: what it shows must be what it is called. Then: bellhop profile check ${folder}`,
  );
}

interface Taken {
  readonly name: string;
  readonly folder: string;
  readonly program: string;
  readonly version: string;
  readonly reading: string;
}

async function capture(context: CommandContext, who: string, to: string, name: string): Promise<Taken> {
  const seen = await context.ask("capture", { who });
  const whose: Whose = {
    home: context.env.HOME || homedir(),
    user: userInfo().username,
    host: hostname(),
  };
  const screen = namelessScreen(seen, whose);
  const version = seen.version ?? "unknown";
  const folder = join(to, seen.program, version.replace(/[^\w.-]/g, "_"));
  const reading = namelessText(seen.reading, whose);
  writeCapture(folder, name, { program: seen.program, version, screen }, reading);
  return { name, folder, program: seen.program, version, reading };
}

function namelessScreen(seen: ResponseOf<"capture">, whose: Whose) {
  const screen = ansiScreen(seen);
  return {
    ...screen,
    title: namelessText(screen.title, whose),
    lines: screen.lines.map((line) => namelessLine(line, whose)),
  };
}

function told({ name, folder, reading }: Taken): string {
  return sanitiseLine(`${name}: ${reading} (${join(folder, name)}.ansi)`, 400);
}
