import { describe, expect, it } from "vitest";
import { OWNER, route, sessionAddressOf } from "../../../tests/desk/broker-verbs.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { BrokerMessage } from "../../wire/shapes/broker.ts";
import type { ListenRequest } from "../../wire/verbs/broker.ts";
import { Listens } from "./listens.ts";

/** One connection, and the texts that were written to it. */
function connectionTo(desk: Desk, most = 10) {
  const texts: string[] = [];
  const listens = new Listens({
    streams: desk.office.streams,
    outlet: {
      isOpen: true,
      hasRoom: true,
      drained: async () => {},
      write(frame) {
        texts.push(String(frame));
        return "written";
      },
    },
    receipts: { confirmed: () => Promise.resolve("written") },
    ownSends: { isAnswered: true, push: (_, write) => write() },
    most,
    mostScreens: 1,
  });
  const listen = async (agent: string, more: Partial<ListenRequest> = {}) => {
    const frameOf = ({ body }: BrokerMessage) => Buffer.from(`${more.session ?? ""}${body}`);
    (await desk.done(listens.open({ agent, claims: OWNER, ...more }, { told: "in-full", frameOf }))).begin();
  };
  return { texts, listen };
}

function rename(desk: Desk, who: string, name: string) {
  return desk.done(desk.use.name({ who, name, claims: OWNER }));
}

describe("a connection whose agent gets another name", () => {
  it.each([false, true])("and that asks again under it, hears once (consume: %s)", async (consume) => {
    const { desk } = await oneAgent();
    const { texts, listen } = connectionTo(desk, 1);
    await listen("coder", { consume });
    await rename(desk, "coder", "web");
    await listen("web", { consume });
    await route(desk, "agent/web", { body: "one" });
    await desk.advance(0);
    expect(texts).toEqual(["one"]);
  });

  it("may take from then on, under the new one, what it only heard", async () => {
    const { desk } = await oneAgent();
    const { texts, listen } = connectionTo(desk, 1);
    await listen("coder");
    await rename(desk, "coder", "web");
    await listen("web", { consume: true });
    const sent = await route(desk, "agent/web", { body: "one" });
    await desk.advance(0);
    expect(texts).toEqual(["one"]);
    expect(desk.store.read.deliveriesOf(sent.messageId)).toMatchObject([{ state: "delivered" }]);
  });

  it("hears another agent that has the old one by now, when it asks for that", async () => {
    const { desk } = await oneAgent();
    const { texts, listen } = connectionTo(desk);
    await listen("coder");
    await rename(desk, "coder", "web");
    await desk.use.agent_add({ name: "coder" });
    await listen("coder");
    await route(desk, "agent/coder", { body: "the new coder" });
    await route(desk, "agent/web", { body: "the old one" });
    expect(texts).toEqual(["the new coder", "the old one"]);
  });
});

it("tells a session that was asked for by two names under each of them", async () => {
  const { desk } = await oneAgent();
  await desk.use.session_add({ agent: "coder", name: "monitor" });
  const address = sessionAddressOf(desk, "coder:monitor");
  const session = address.replace("session/", "");
  const { texts, listen } = connectionTo(desk);
  for (const one of ["monitor", session, "monitor"]) await listen("coder", { session: one });
  await route(desk, address, { body: " one" });
  expect(texts).toEqual(["monitor one", `${session} one`]);
});
