import { describe, expect, it } from "vitest";
import { deskWith, OWNER, route, subscribe, taken } from "../../../tests/desk/broker-verbs.ts";
import { openDesk } from "../../../tests/desk/desk.ts";
import { DeskHosts } from "../../../tests/desk/hosts.ts";

const MAIN = { agent: "reader", session: "main", claims: OWNER };

describe("the main session of an agent without a program", () => {
  it("is there from the start, and can be asked everything", async () => {
    const desk = await deskWith("reader");
    expect((await desk.use.sub_list(MAIN)).subscriptions).toEqual([]);
    expect((await desk.use.mailbox_history(MAIN)).messages).toEqual([]);
    expect(await taken(desk, "reader:main")).toEqual([]);
    await subscribe(desk, "reader:main", "slack/**");
    const sent = await route(desk, "slack/team/#general");
    expect(sent.deliveredToSessions).toEqual([{ agentId: "reader", sessionId: "main" }]);
    expect(await taken(desk, "reader:main")).toEqual(["hello"]);
  });

  it("is the default of its agent, and says when it was used last", async () => {
    const desk = await deskWith("reader");
    const made = desk.clock.now();
    await desk.done(desk.use.session_add({ agent: "reader", name: "monitor", title: "Slack monitor" }));
    const shown = async () => (await desk.use.agent_show({ name: "reader" })).sessions;
    expect(await shown()).toMatchObject([
      { name: "main", title: "main", isDefault: true, createdAt: made, lastUsedAt: made },
      { name: "monitor", title: "Slack monitor", isDefault: false },
    ]);
    await desk.advance(60_000);
    await desk.send(`session/${(await shown())[1]?.id}`, "look");
    await taken(desk, "reader:monitor");
    expect((await shown()).map(({ lastUsedAt }) => lastUsedAt - made)).toEqual([0, 60_000]);
  });

  it("goes on in whatever runs for the agent: what comes for it is typed there", async () => {
    const desk = await openDesk();
    const hosts = new DeskHosts(desk);
    desk.hosts = hosts;
    await desk.open();
    await desk.use.agent_add({ name: "reader" });
    await subscribe(desk, "reader:main", "slack/**");
    const request = {
      command: ["plain"],
      name: "reader",
      folder: "/home/dev",
      environment: {},
      claims: OWNER,
    };
    const { sessionId } = await desk.done(desk.use.run(request));
    await route(desk, "slack/team/#general", { body: "from the channel" });
    await desk.advance(5_000);
    expect(hosts.agent(sessionId).program.submitted.join()).toContain("from the channel");
  });

  it("is given to agents from before at the next start, and to those that the config declares", async () => {
    const desk = await deskWith();
    await desk.store.write((tx) =>
      tx.putAgent({ name: "reader", createdAt: 0, origin: "added", chosen: true, paused: false }),
    );
    await desk.done(desk.office.declare([{ name: "declared", subscriptions: [], sessions: [] }]));
    for (const name of ["reader", "declared"])
      expect((await desk.use.agent_show({ name })).sessions).toMatchObject([
        { name: "main", isDefault: true },
      ]);
  });
});
