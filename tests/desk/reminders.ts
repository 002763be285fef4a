/** Reminders of a desk: set, list, and see what they sent. */
import type { ShownReminder } from "../../src/wire/shapes/reminders.ts";
import type { RemindRequest } from "../../src/wire/verbs/reminders.ts";
import type { DeskAgent } from "./agent.ts";
import { listen } from "./broker-verbs.ts";
import { type Desk, openDesk } from "./desk.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Asked = Omit<RemindRequest, "claims">;

/** `stashing` takes prompts of three lines. */
export async function pair(): Promise<{ desk: Desk; coder: DeskAgent; tester: DeskAgent }> {
  const desk = await openDesk();
  const coder = desk.agent("coder", { program: "stashing" });
  const tester = desk.agent("tester", { program: "stashing" });
  await desk.ready();
  return { desk, coder, tester };
}

/** A desk without programs, so that days pass without polling a screen. */
export async function quietDesk(): Promise<Desk> {
  const desk = await openDesk();
  await desk.open();
  await desk.use.agent_add({ name: "reviewer" });
  return desk;
}

/** Takes every message at once, until the next restart: a repeated reminder comes only when the last one was taken. */
export async function attended(desk: Desk, agent = "reviewer"): Promise<void> {
  await listen(desk, agent, { consume: true });
}

export function remind(desk: Desk, asked: Asked): Promise<ShownReminder> {
  return desk.done(desk.use.remind({ ...asked, claims: { user: "dev" } }));
}

export function remindReviewer(desk: Desk, asked: Partial<Asked>): Promise<ShownReminder> {
  return remind(desk, { text: "look", to: "reviewer", ...asked });
}

export function remindAs(desk: Desk, agent: DeskAgent, asked: Asked): Promise<ShownReminder> {
  const { server, pane } = agent.sighting.identity;
  return desk.done(desk.use.remind({ ...asked, claims: { user: "dev", tmux: { socket: server, pane } } }));
}

/** What was typed into a program, without our header. */
export function typedInto({ program }: DeskAgent): readonly string[] {
  return program.submitted.map((prompt) => prompt.replace(/^\[message from: bellhop #\w{6}\] /u, ""));
}

/** Every reminder that came, as mailbox and text. */
export function came(desk: Desk): readonly (readonly [to: string, body: string])[] {
  return desk.store.read
    .deliveries({})
    .filter(({ message }) => message.command === "reminder")
    .map(({ message, delivery }) => [
      delivery.to,
      message.body.replace("[bellhop] Scheduled reminder:\n", ""),
    ]);
}

/** How often a reminder came in total. */
export function fired(desk: Desk): number {
  return came(desk).length;
}

export async function listed(desk: Desk, who?: string): Promise<readonly string[]> {
  const { reminders } = await desk.use.reminders(who === undefined ? {} : { who });
  return reminders.map(({ text }) => text);
}
