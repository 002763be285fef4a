import type { Line } from "../../../client/line.ts";
import { listenPatiently } from "../../../client/listen.ts";
import { BellhopError, type ErrorCode } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine } from "../../../core/text/sanitise.ts";
import type { BrokerMessage } from "../../../wire/shapes/broker.ts";
import { type Command, usage } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { clockTime } from "../../printing/moments.ts";

/** `bellhop read` shows the rest. */
const SHOWN_CHARACTERS = 500;

export const listen: Command = {
  name: "listen",
  summary: "print messages for you or an agent as they arrive, until Ctrl+C",
  usage: ["listen [WHO] [--session S] [--consume]"],
  options: {
    session: { kind: "value", value: "S", summary: "only one of its sessions: an id, a name, or main" },
    consume: {
      kind: "flag",
      summary: "take each message, so that nobody else gets it; those that already wait come first",
    },
  },
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop listen", does: "messages for you" },
    { command: "bellhop listen reviewer", does: "watch; changes nothing" },
    {
      command: "bellhop listen reviewer --consume --json",
      does: "act as the agent: one JSON object per line",
    },
    { command: "bellhop listen reviewer --session slack-monitor", does: "only what one session gets" },
  ],
  run: async (context, args) => {
    const { out } = context;
    const signal = context.interrupted();
    // Starts the daemon if needed; from here on it may go away and come back.
    await context.ask("status", {});
    const agent = await mailboxOf(context, args.words[0]);
    (await context.reach()).close();
    const session = args.value("session");
    const heard = listenPatiently(
      announced(await context.line(), context, agent),
      { agent, ...present({ session }) },
      { consume: args.flag("consume"), signal },
      {
        patienceMs: Number.POSITIVE_INFINITY,
        pause: (ms) => context.pause(ms, signal),
        now: context.now,
      },
      signal,
    );
    for await (const message of heard) {
      out.result(message, spoken(message));
      await out.drained();
    }
  },
};

/** An agent's by its name; a person's by their address, whichever word was used for them. */
async function mailboxOf({ ask, claims }: CommandContext, word: string | undefined): Promise<string> {
  if (word?.includes("/") === true) return word;
  const asked = { ...present({ who: word }), limit: 1, claims: claims() };
  const { who } = await ask("inbox", asked).catch((error: unknown) => {
    if (word === undefined || !isWrongWord(error)) throw error;
    return { who: word };
  });
  if (who.startsWith("person/")) return who;
  if (word !== undefined) return word;
  throw usage("An agent says whose mailbox it listens to.", "Name it: bellhop listen NAME.");
}

/** Listening reports this itself, with a better message: it accepts fewer words as names. */
function isWrongWord(error: unknown): boolean {
  return error instanceof BellhopError && WRONG_WORD.has(error.code);
}

const WRONG_WORD: ReadonlySet<ErrorCode> = new Set([
  "recipient.unknown",
  "recipient.ambiguous",
  "agent.unknown",
  "session.unknown",
  "name.invalid",
  "request.malformed",
  "request.forbidden",
  "rights.missing",
]);

/** A script only needs the messages; a person is also told that nothing can come. */
function announced(line: Line, { out }: CommandContext, agent: string): Line {
  if (out.json) return line;
  const who = sanitiseLine(agent);
  let before: "never" | "listened" = "never";
  return {
    ...line,
    async listen(request, ear) {
      const listening = await line.listen(request, {
        hear: (message) => ear.hear(message),
        over(error) {
          out.note("the daemon has stopped; waiting for it to come back");
          ear.over(error);
        },
      });
      const missed = request.consume ? "" : `; see what you missed: bellhop inbox ${who}`;
      out.note(before === "never" ? `listening to ${who}; Ctrl+C ends it` : `listening again${missed}`);
      before = "listened";
      return listening;
    },
  };
}

function spoken({ timestamp, shortId, from, command, body, ...flags }: BrokerMessage): string {
  const what = command === "message" ? "" : ` [${sanitiseLine(command, SHOWN_CHARACTERS)}]`;
  const handlers = (flags.handledBy ?? []).map(({ sessionId }) => sanitiseLine(sessionId)).join(", ");
  const notes = [
    flags.redelivered === true ? "possibly seen before" : undefined,
    flags.handled === true ? `handled by ${handlers}` : undefined,
  ].filter((note) => note !== undefined);
  const head = `${clockTime(timestamp)} #${shortId} ${sanitiseLine(from)}${what}`;
  const text = sanitiseLine(body, SHOWN_CHARACTERS);
  const cut = text.length < sanitiseLine(body).length ? "…" : "";
  return `${head}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}: ${text}${cut}`;
}
