import { describe, expect, it } from "vitest";
import { oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";

const lines = ({ told }: { readonly told: readonly { readonly text: string }[] }) =>
  told.map(({ text }) => text);

describe("the person", () => {
  it("is told once that an agent asks, though nothing waits for it, and again when it asks again", async () => {
    const { desk, coder, session } = await oneAgent();
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(3_000);
    const asks = "[bellhop] coder asks for a permission: Allow touch a?";
    expect(desk.told).toEqual([
      { text: asks, line: true, bell: false, except: coder.sighting.identity.pane },
    ]);
    await desk.advance(60_000);
    expect(lines(desk)).toEqual([asks]);
    expect(await desk.done(desk.use.attention({}))).toMatchObject({
      attention: [{ kind: "permission", agent: "coder", session, text: "Allow touch a?" }],
      mail: 0,
    });
    expect(await desk.done(desk.use.ls({}))).toMatchObject({
      sessions: [
        { agent: "coder", readiness: "blocked", asks: { kind: "permission", text: "Allow touch a?" } },
      ],
      wants: { permission: 1 },
    });
    coder.program.answersDialog();
    await desk.advance(20_000);
    expect(await desk.done(desk.use.attention({}))).toMatchObject({ attention: [] });
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(20_000);
    expect(lines(desk)).toEqual([asks, asks]);
  });

  it("is not told again after a restart of what they were told, and is told what came meanwhile", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(3_000);
    expect(desk.told).toHaveLength(1);
    await desk.open();
    await desk.advance(30_000);
    expect(desk.told).toHaveLength(1);
    desk.crash();
    coder.program.becomes({ dialog: "Allow touch b?" });
    await desk.open();
    await desk.advance(30_000);
    expect(lines(desk).at(-1)).toBe("[bellhop] coder asks for a permission: Allow touch b?");
    expect(desk.told).toHaveLength(2);
  });

  it("is not told what they have answered by then", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(1_000);
    coder.program.answersDialog();
    await desk.advance(30_000);
    expect(desk.told).toEqual([]);
  });

  it("hears of many things of one moment in one line, and not of the next at once", async () => {
    const desk = await openDesk();
    const agents = ["api", "web", "docs", "ops"].map((folder) => desk.agent(folder));
    await desk.ready();
    for (const agent of agents) agent.program.becomes({ dialog: `Allow ${agent.folder}?` });
    await desk.advance(3_000);
    expect(desk.told).toHaveLength(1);
    expect(lines(desk)[0]).toMatch(/^\[bellhop\] 4 things want you: .* · and 1 more$/);
    expect(desk.told[0]).not.toHaveProperty("except");
    agents[0]?.program.becomes({ dialog: "Allow more?" });
    await desk.advance(3_000);
    expect(desk.told).toHaveLength(1);
    await desk.advance(10_000);
    expect(desk.told).toHaveLength(2);
  });

  it("is told of an answer, of a reminder and of what may not have arrived", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.send("coder", "how far?");
    await desk.advance(5_000);
    await desk.sendAs(coder, "person/dev", "halfway", { re: sent.messageId });
    await desk.advance(15_000);
    expect(lines(desk)).toEqual(["[bellhop] coder answers: halfway"]);
    await desk.done(desk.use.remind({ text: "lunch", afterMs: 60_000, claims: { user: "dev" } }));
    await desk.advance(75_000);
    expect(lines(desk).at(-1)).toBe("[bellhop] Scheduled reminder: lunch");
    coder.program.echoes = "no";
    const lost = await desk.send("coder", "seen?");
    await desk.advance(60_000);
    expect(desk.state(lost)).toBe("unconfirmed");
    expect(lines(desk).at(-1)).toBe(
      `[bellhop] coder: nothing shows that #${lost.shortId} arrived: bellhop show ${lost.shortId}`,
    );
    expect(await desk.done(desk.use.status({}))).toMatchObject({ wants: { unconfirmed: 1 }, mail: 2 });
    await desk.advance(25 * 3_600_000);
    expect(await desk.done(desk.use.status({}))).toMatchObject({ wants: {}, mail: 2 });
  });

  it("is told nothing where they want that, and the desktop only where they said so", async () => {
    const { desk, coder } = await oneAgent();
    const shown: string[] = [];
    desk.desktop = { notify: async (text) => void shown.push(text), obstacle: () => undefined };
    desk.settings = { ...AS_SHIPPED, notify: [] };
    await desk.open();
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(30_000);
    expect([desk.told, shown]).toEqual([[], []]);
    desk.settings = { ...AS_SHIPPED, notify: ["desktop"] };
    coder.program.becomes({ dialog: "Allow touch b?" });
    await desk.advance(30_000);
    expect(desk.told).toEqual([]);
    expect(shown).toEqual(["[bellhop] coder asks for a permission: Allow touch b?"]);
  });

  it("reads in the status why the desktop shows nothing", async () => {
    const { desk, coder } = await oneAgent();
    desk.desktop = { notify: async () => Promise.reject(new Error("no display")), obstacle: () => undefined };
    desk.settings = { ...AS_SHIPPED, notify: ["tmux", "desktop"] };
    await desk.open();
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(30_000);
    expect(desk.told).toHaveLength(1);
    expect(await desk.done(desk.use.status({}))).toMatchObject({
      warnings: ["Desktop notifications do not work: no display"],
    });
    expect(desk.warnings).toContain("desktop.untold");
  });
});
