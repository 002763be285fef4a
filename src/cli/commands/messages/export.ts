import { BellhopError, EXIT } from "../../../core/errors.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { RequestOf, ResponseOf } from "../../../wire/verbs/index.ts";
import { type Arguments, type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";

const PAGE_ENTRIES = 100;
const TELL_EVERY = 1_000;

export const exporting: Command = {
  name: "export",
  summary: "print everything that was sent, one JSON object per line, oldest first",
  usage: ["export [WHO] [--jsonl] [--output FILE [--force]]", "export --unmatched [--output FILE [--force]]"],
  options: {
    unmatched: { kind: "flag", summary: "only the dead letters" },
    jsonl: { kind: "flag", summary: "print JSON lines; this is the default" },
    output: { kind: "value", value: "FILE", summary: "write to a file that only you can read" },
    force: { kind: "flag", summary: "with --output: replace an existing file" },
  },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop export --jsonl --output all.jsonl", does: "write everything to a file" },
    { command: "bellhop export coder", does: "only one agent, or one session" },
    { command: "bellhop export --unmatched | jq .reason", does: "only the dead letters" },
  ],
  run: async (context, args) => {
    const { ask, out } = context;
    const what = readWhat(args);
    const path = readPath(args);
    if (path !== undefined) return intoFile(context, what, path, args.flag("force") ? "replace" : "refuse");
    await eachPage(ask, what, {
      async write(text) {
        out.raw(text);
        await out.drained();
      },
      // No progress between lines that a person is looking at.
      tell: (text) => (out.columns > 0 ? undefined : out.progress(text)),
    });
  },
};

type What = Pick<RequestOf<"export">, "who" | "unmatched">;

interface Going {
  write(text: string): Promise<void>;
  /** Reports progress. */
  tell(text: string): void;
  readonly stop?: AbortSignal;
}

async function intoFile(
  { ask, out, interrupted }: CommandContext,
  what: What,
  path: string,
  existing: "refuse" | "replace",
): Promise<number> {
  const { createExportFile } = await import("../../export-file.ts");
  const stop = interrupted();
  const file = await createExportFile(path, existing);
  try {
    const entries = await eachPage(ask, what, { ...file, tell: (text) => out.progress(text), stop });
    if (stop.aborted) {
      await file.abandon();
      out.note(`stopped: nothing was written to ${sanitiseLine(path)}`);
      return EXIT.failed;
    }
    await file.finish();
    const count = `${entries} ${entries === 1 ? "entry" : "entries"}`;
    out.result({ file: path, entries }, `exported ${count} to ${sanitiseLine(path)}`);
    return EXIT.ok;
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/** One page at a time; the next is requested only when the last is written. Returns the number of entries. */
async function eachPage(ask: CommandContext["ask"], what: What, going: Going): Promise<number> {
  let count = 0;
  let told = 0;
  let limit = PAGE_ENTRIES;
  let after: number | undefined = 0;
  while (after !== undefined && going.stop?.aborted !== true) {
    const page = await pageAt(ask, { ...what, limit, after });
    if (page === "too-much") {
      limit = 1;
      continue;
    }
    const { entries, next } = page;
    if (entries.length > 0) await going.write(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    count += entries.length;
    after = next;
    limit = Math.min(PAGE_ENTRIES, limit * 2);
    if (count - told >= TELL_EVERY) {
      told = count;
      going.tell(`${count} …`);
    }
  }
  if (told > 0) going.tell("");
  return count;
}

type Page = ResponseOf<"export"> | "too-much";

async function pageAt(
  ask: CommandContext["ask"],
  request: What & { readonly limit: number; readonly after: number },
): Promise<Page> {
  try {
    return await ask("export", request);
  } catch (error) {
    // An answer too long for a connection ends it: try again, one entry at a time.
    if (request.limit > 1 && error instanceof BellhopError && error.code === "daemon.unreachable")
      return "too-much";
    throw error;
  }
}

function readWhat(args: Arguments): What {
  const [who] = args.words;
  if (!args.flag("unmatched")) return who === undefined ? {} : { who };
  if (who === undefined) return { unmatched: true };
  throw usage("Dead letters have no recipient.", `Leave out "${sanitiseLine(who, 64)}" or --unmatched.`);
}

function readPath(args: Arguments): string | undefined {
  const path = args.value("output");
  if (path === "") throw usage("--output names no file.", "Write --output FILE.");
  if (args.flag("force") && path === undefined)
    throw usage("--force goes with --output.", "Add --output FILE.");
  return path;
}
