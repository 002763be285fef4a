/** The broker's verbs in short form for tests: on a desk, as the owner unless a test says otherwise. */
import type { DeliveryState } from "../../src/core/message.ts";
import type { BrokerMessage, RouteResponse } from "../../src/wire/shapes/broker.ts";
import type { ShownAgent } from "../../src/wire/shapes/sessions.ts";
import type { Claims } from "../../src/wire/verbs/claims.ts";
import type { RequestOf } from "../../src/wire/verbs/index.ts";
import { type Desk, openDesk } from "./desk.ts";

export const OWNER: Claims = { user: "dev" };

/** The claims of a caller with an agent's own token. */
export function tokenOf(agent: string): Claims {
  return { user: "dev", agent };
}

/** Agents without a program. */
export async function deskWith(...agents: readonly string[]): Promise<Desk> {
  const desk = await openDesk();
  await desk.open();
  for (const name of agents) await desk.use.agent_add({ name });
  return desk;
}

export function route(
  desk: Desk,
  path: string,
  more: Partial<RequestOf<"route">> = {},
): Promise<RouteResponse> {
  const said = more.command === undefined && more.payload === undefined ? { body: "hello" } : {};
  return desk.done(desk.use.route({ path, claims: OWNER, ...said, ...more }));
}

/** `coder`, or `coder:slack-monitor` for one of its sessions. */
export function mailbox(who: string): { readonly agent: string; readonly session?: string } {
  const [agent = "", session] = who.split(":");
  return session === undefined ? { agent } : { agent, session };
}

export function subscribe(desk: Desk, who: string, pattern: string) {
  return desk.done(desk.use.sub_add({ ...mailbox(who), pattern, claims: OWNER }));
}

export function unsubscribe(desk: Desk, who: string, pattern: string) {
  return desk.done(desk.use.sub_remove({ ...mailbox(who), pattern, claims: OWNER }));
}

export async function receive(
  desk: Desk,
  who: string,
  more: Partial<RequestOf<"receive">> = {},
): Promise<readonly BrokerMessage[]> {
  return (await desk.done(desk.use.receive({ ...mailbox(who), claims: OWNER, ...more }))).messages;
}

/** The texts of the received messages, in order. */
export async function taken(desk: Desk, who: string): Promise<readonly string[]> {
  return (await receive(desk, who)).map(({ body }) => body);
}

export async function acknowledge(
  desk: Desk,
  sent: { readonly messageId: string },
  who?: string,
  claims: Claims = OWNER,
): Promise<readonly DeliveryState[]> {
  const whose = who === undefined ? {} : mailbox(who);
  return (await desk.done(desk.use.ack({ id: sent.messageId, ...whose, claims }))).states;
}

/** Every delivery of a message: its mailbox, its state, and whether sessions of that agent have the message too. */
export function deliveries(desk: Desk, sent: { readonly messageId: string }): readonly string[] {
  return desk.store.read
    .deliveriesOf(sent.messageId)
    .map(({ to, state, handledBy }) => `${to} ${state}${handledBy === undefined ? "" : " handled"}`);
}

export function stateIn(desk: Desk, sent: { readonly messageId: string }, to: string): DeliveryState {
  const delivery = desk.store.read.deliveriesOf(sent.messageId).find((one) => one.to === to);
  if (delivery === undefined) throw new Error(`it is not in ${to}`);
  return delivery.state;
}

/** The address of a session that was created by name. */
export function sessionAddressOf(desk: Desk, who: string): string {
  const { agent, session = "main" } = mailbox(who);
  const found = desk.store.read.sessionByName(agent, session);
  if (found === undefined) throw new Error(`there is no ${who}`);
  return `session/${found.id}`;
}

export function shownAgent(desk: Desk, name: string): Promise<ShownAgent> {
  return desk.use.agent_show({ name });
}

/** A listener that keeps what it gets. */
export interface Ear {
  readonly heard: BrokerMessage[];
  /** Their texts. */
  readonly texts: () => readonly string[];
  readonly session: string | undefined;
  readonly agentSince: number;
  close(): void;
}

export async function listen(
  desk: Desk,
  who: string,
  options: {
    readonly consume?: boolean;
    readonly agentSince?: number;
    readonly claims?: Claims;
    readonly answer?: (message: BrokerMessage) => "gone" | Promise<"written" | "gone">;
  } = {},
): Promise<Ear> {
  const { consume = false, claims = OWNER, answer = async () => "written" as const, agentSince } = options;
  const how = { ...(consume ? { consume } : {}), ...(agentSince === undefined ? {} : { agentSince }) };
  const heard: BrokerMessage[] = [];
  const listening = await desk.done(
    desk.office.streams.listen({ ...mailbox(who), claims, ...how }, (message) => {
      heard.push(message);
      return answer(message);
    }),
  );
  return {
    heard,
    texts: () => heard.map(({ body }) => body),
    session: listening.session,
    agentSince: listening.agentSince,
    close: () => listening.close(),
  };
}
