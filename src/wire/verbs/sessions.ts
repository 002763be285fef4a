/** The programs that run for agents, and their terminals. */
import { z } from "zod";
import { type AgentName, LIMITS, type MessageId, type SessionId } from "../../core/message.ts";
import { mail, type Need, NOTHING, queue } from "../../core/rights/needs.ts";
import { LONGEST_GRACE_MS } from "../host/host.ts";
import type { Overview, ShownAttention, Wants } from "../shapes/attention.ts";
import type { SendResponse } from "../shapes/messages.ts";
import type {
  CapturedScreen,
  ListedHosts,
  RunResponse,
  ShownConversation,
  ShownEnding,
  ShownSession,
} from "../shapes/sessions.ts";
import { claims } from "./claims.ts";
import { address, body, isEmpty, limit, line, name, nothing, REQUEST_LIMITS, reqId } from "./fields.ts";
import { type Checked, stream, typed, verb } from "./verb.ts";

const size = (most: number) => z.int().min(1).max(most);
const columns = size(1_000).exactOptional();
const rows = size(500).exactOptional();

/** From a person's shell: more names and longer values than a hook's. */
const environment = z
  .record(z.string().max(REQUEST_LIMITS.nameCharacters), z.string().max(LIMITS.bodyBytes))
  .refine((entries) => Object.keys(entries).length <= REQUEST_LIMITS.variables, "has too many entries");

const word = z
  .string()
  .max(REQUEST_LIMITS.wordCharacters)
  .refine((text) => !text.includes("\0"), "holds a NUL");

const running = z.strictObject({
  command: z.array(word).min(1).max(REQUEST_LIMITS.words),
  name: name.exactOptional(),
  role: line(REQUEST_LIMITS.nameCharacters).exactOptional(),
  folder: line(4_096),
  /** The caller's environment, without what names their own session. */
  environment,
  columns,
  rows,
  /** `tmux`: in a tmux window, as that window's own command. */
  where: z.enum(["pty", "tmux"]).exactOptional(),
  claims,
});
export type RunRequest = Checked<typeof running>;

function toStart({ name: chosen }: { readonly name?: string }): readonly Need[] {
  return [
    { right: "spawn" },
    ...(chosen === undefined ? [] : [{ right: "name", unlessOwn: { kind: "name", name: chosen } } as const]),
  ];
}

function toStop({ who }: { readonly who: string }): readonly Need[] {
  return [{ right: "stop", unlessOwn: { kind: "terminal", who } }];
}

export const sessions = {
  /**
   * `all`: includes those that ended within a day. `allHosts`: includes the agents of other hosts, if there is a
   * cluster; with `all` also those for whom no program runs.
   */
  ls: verb(
    () => z.strictObject({ all: z.boolean().exactOptional(), allHosts: z.boolean().exactOptional() }),
    typed<Pick<Overview, "sessions"> & Partial<Wants> & Partial<ListedHosts>>(),
    () => NOTHING,
  ),
  /** What needs the person's attention. */
  attention: verb(
    () => nothing,
    typed<{ readonly attention: readonly ShownAttention[]; readonly mail: number }>(),
    // It shows other people's mail.
    () => mail(),
  ),
  /** The person's answer to one of these: a permission that is still asked for. */
  attention_answer: verb(
    () => z.strictObject({ id: word, answer: word, claims }),
    typed<SendResponse>(),
    () => [{ right: "admin", what: "answer what wants the person" }],
  ),
  session: verb(
    () => z.strictObject({ who: address }),
    typed<ShownSession>(),
    // The state includes the current draft, word for word.
    ({ who }) => queue({ kind: "terminal", who }),
  ),
  /** Starts a program in a terminal that Bellhop hosts. */
  run: verb(() => running, typed<RunResponse>(), toStart),
  /** Starts a child with a first message from its parent, which is told when the child has answered. */
  spawn: verb(
    () =>
      z
        .strictObject({ ...running.shape, prompt: body })
        .refine(({ prompt }) => prompt.trim() !== "", isEmpty("prompt")),
    typed<RunResponse & { readonly messageId: MessageId; readonly shortId: string }>(),
    toStart,
  ),
  /** What a person needs to attach: the client dials the host itself. */
  attach: verb(
    () => z.strictObject({ who: address }),
    typed<{
      readonly sessionId: SessionId;
      readonly agent: AgentName;
      readonly socket: string;
      readonly token: string;
    }>(),
    // It gives access to a keyboard.
    () => [{ right: "raw" }],
  ),
  /** Asks the program to end, then forces it. */
  session_stop: verb(
    () =>
      z.strictObject({
        who: address,
        graceMs: z.int().min(0).max(LONGEST_GRACE_MS).exactOptional(),
      }),
    typed<{
      readonly sessionId: SessionId;
      readonly agent: AgentName;
      readonly outcome: "stopped" | "running";
    }>(),
    toStop,
  ),
  /** The same program for the same agent, with its name and mailbox; `resume` also keeps its conversation. */
  restart: verb(
    () =>
      z.strictObject({
        who: address,
        resume: z.boolean().exactOptional(),
        environment,
        columns,
        rows,
      }),
    typed<RunResponse>(),
    toStop,
  ),
  peek: verb(
    () =>
      z.strictObject({
        who: address,
        ansi: z.boolean().exactOptional(),
        /** The last lines, including scrollback; if absent, the screen. */
        lines: z.int().min(1).max(REQUEST_LIMITS.peekLines).exactOptional(),
      }),
    typed<{
      readonly sessionId: SessionId;
      readonly screen: string;
      /** Set if it no longer runs: this is its last screen. */
      readonly ending?: ShownEnding;
      /** Set if it runs without a terminal: these are the steps of this turn so far. */
      readonly turn?: string;
    }>(),
    // A sender looks at the screen to see what became of a message: the reminder after a delivery says so itself.
    () => NOTHING,
  ),
  /** What `peek` shows, with everything that a profile reads. */
  capture: verb(
    () => z.strictObject({ who: address }),
    typed<CapturedScreen>(),
    () => NOTHING,
  ),
  /** The newest part of the conversation, oldest first, as the program recorded it. */
  transcript: verb(
    () => z.strictObject({ who: address, last: limit.exactOptional() }),
    typed<ShownConversation>(),
    // What a person said to an agent is private to the two.
    ({ who }) => mail({ kind: "terminal", who }),
  ),
};

export const sessionStreams = {
  follow: stream(
    () => z.strictObject({ who: address }),
    ({ who }) => queue({ kind: "terminal", who }),
  ),
  unfollow: stream(
    () => z.strictObject({ follow: reqId }),
    () => NOTHING,
  ),
};

export type FollowRequest = Checked<typeof sessionStreams.follow.request>;
