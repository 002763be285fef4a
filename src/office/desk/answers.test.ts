/** A person answers from a phone. */
import { describe, expect, it } from "vitest";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import { asksFor, leaves, withPhone } from "../../../tests/desk/paged.ts";
import { connectedPhone, type Phone } from "../../../tests/desk/phone.ts";

async function threeAgents() {
  const desk = await openDesk();
  const [api, web, docs] = ["api", "web", "docs"].map((name) => desk.agent(`/projects/${name}`));
  if (api === undefined || web === undefined || docs === undefined) throw new Error("three agents");
  await desk.ready();
  return { desk, api, web, docs, phone: await connectedPhone(desk) };
}

/** Long enough for a delivery and its proof. */
const passed = (desk: Desk) => desk.advance(20_000);

describe("an answer from a phone", () => {
  it("reaches the only agent, marked, and is confirmed once it was proven", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    expect(await phone.writes("How is the build?")).toBe("accepted");
    await passed(desk);
    expect(coder.program.submitted).toHaveLength(1);
    expect(coder.program.submitted[0]).toContain("] 📱 How is the build?");
    expect(phone.texts()).toEqual([expect.stringMatching(/^✓ Delivered to \[.*\]$/u)]);
    expect(phone.heard[0]?.answers).toBe("u1");
    expect(phone.kept("offset")).toBe("1");
  });

  it("reaches the agent it is tagged for, and only that one", async () => {
    const { desk, api, web, docs, phone } = await threeAgents();
    await phone.writes("[web] go on");
    await passed(desk);
    expect([api, web, docs].map(({ program }) => program.submitted.length)).toEqual([0, 1, 0]);
    expect(web.program.submitted[0]).toContain("📱 go on");
  });

  it("is refused with who runs, if nobody has the tag", async () => {
    const { desk, api, phone } = await threeAgents();
    await phone.writes("[shop] go on");
    await passed(desk);
    expect(phone.texts()).toEqual(['✗ Nobody is called "shop".\nRunning: [api] [web] [docs]']);
    expect(api.program.submitted).toEqual([]);
  });

  it("is asked about with numbers, and goes to the chosen one as it was written", async () => {
    const { desk, docs, phone } = await threeAgents();
    await phone.writes("go on");
    await passed(desk);
    expect(phone.texts()).toEqual([
      'Who is this for? "go on"\n1. api\n2. web\n3. docs\nAnswer with the number, within 10 minutes.',
    ]);
    await phone.writes("3");
    await passed(desk);
    expect(docs.program.submitted[0]).toContain("📱 go on");
    expect(phone.texts()[1]).toMatch(/^✓ Delivered/u);
  });

  it("is asked about while another question is open: each keeps its text, and its own numbers", async () => {
    const { desk, api, web, docs, phone } = await threeAgents();
    await phone.writes("first");
    await phone.writes("second");
    await phone.writes("third");
    await passed(desk);
    await phone.writes("[docs] tagged");
    await passed(desk);
    expect(phone.texts().slice(0, 3)).toEqual(
      ["first", "second", "third"].map((text) => expect.stringContaining(`Who is this for? "${text}"`)),
    );
    await phone.writes("1", { answers: ["b1"] });
    await phone.writes("2");
    await phone.writes("3");
    await passed(desk);
    const read = [api, web, docs].map(({ program }) => program.submitted.join("\n"));
    expect(read).toEqual([
      expect.stringContaining("📱 first"),
      expect.stringContaining("📱 third"),
      expect.stringMatching(/📱 tagged.*📱 second/su),
    ]);
    // That one is answered: no other text is taken for it.
    await phone.writes("first again");
    await passed(desk);
    await phone.writes("1", { answers: ["b1"] });
    await passed(desk);
    expect(api.program.submitted).toHaveLength(1);
  });

  it("with a number that answers an agent is for that agent, though a question is open", async () => {
    const { desk, api, web, phone } = await threeAgents();
    await desk.sendAs(web, "telegram/42", "How many?");
    await desk.sendAs(api, "telegram/42", "Which port?");
    await passed(desk);
    await phone.writes("rm -rf build");
    await passed(desk);
    expect(phone.texts().at(-1)).toContain("Who is this for?");
    await phone.writes("1", { answers: ["b1"] });
    await passed(desk);
    expect([api.program.submitted, web.program.submitted]).toEqual([[], [expect.stringContaining("📱 1")]]);
  });

  it("is not asked about any more when too many questions wait, and that is said", async () => {
    const { desk, phone } = await threeAgents();
    for (let index = 0; index < 21; index += 1) await phone.writes(`text ${index}`);
    await passed(desk);
    expect(phone.texts()).toHaveLength(21);
    expect(phone.texts().at(-1)).toMatch(/^✗ Nobody got it: too many questions wait/u);
  });

  it("goes to the agent whose message it answers", async () => {
    const { desk, web, phone } = await threeAgents();
    await desk.sendAs(web, "telegram/42", "Which colour?");
    await passed(desk);
    expect(phone.texts()).toEqual(["[web] Which colour?"]);
    await phone.writes("blue", { answers: ["b1"] });
    await passed(desk);
    expect(web.program.submitted[0]).toContain("📱 blue");
  });

  it("goes to the last one that said something, if only one did lately", async () => {
    const { desk, web, phone } = await threeAgents();
    await desk.sendAs(web, "telegram/42", "Which colour?");
    await passed(desk);
    await phone.writes("blue");
    await passed(desk);
    expect(web.program.submitted).toHaveLength(1);
  });

  it("goes where the classifier says, and never with the classifier's words", async () => {
    const { desk, web, phone } = await threeAgents();
    desk.settings = { ...desk.settings, desk: { ...desk.settings.desk, classifies: true } };
    const asked: (readonly string[])[] = [];
    desk.classifier = {
      classify: async (text, labels) => {
        asked.push([text, ...labels]);
        return { label: labels[1] ?? "" };
      },
    };
    await desk.ready();
    await phone.connect();
    await phone.writes("tell the shop that it is fine");
    await passed(desk);
    expect(asked).toHaveLength(1);
    expect(web.program.submitted[0]).toContain("📱 tell the shop that it is fine");
  });

  it("is undone within a minute: cancelled while it waits, else followed up", async () => {
    const { desk, web, phone } = await threeAgents();
    web.program.becomes({ busy: true });
    await phone.writes("[web] drop the table");
    await desk.advance(3_000);
    await phone.writes("undo");
    await desk.advance(3_000);
    expect(phone.texts().at(-1)).toMatch(/^✓ Undone: \[.*\] did not get it\.$/u);
    web.program.becomes({ busy: false });
    await passed(desk);
    expect(web.program.submitted).toEqual([]);
    await phone.writes("[web] drop the table");
    await passed(desk);
    await phone.writes("Undo");
    await passed(desk);
    expect(web.program.submitted.at(-1)).toContain('Please disregard my last message ("drop the table")');
    await phone.writes("undo");
    await desk.advance(61_000);
    await phone.writes("undo");
    await passed(desk);
    expect(phone.texts().at(-1)).toContain("nothing to undo");
  });
});

describe("while the classifier thinks", () => {
  async function slowly(desk: Desk, phone: Phone, label: number) {
    desk.settings = { ...desk.settings, desk: { ...desk.settings.desk, classifies: true } };
    desk.classifier = {
      classify: (_text, labels) =>
        new Promise((resolve) => desk.clock.after(15_000, () => resolve({ label: labels[label] ?? "" }))),
    };
    await desk.ready();
    await phone.connect();
  }

  it("a button is not kept waiting, and texts keep their order", async () => {
    const { desk, coder, docs, phone } = await withPhone();
    await slowly(desk, phone, 1);
    leaves(desk);
    for (const { program } of [coder, docs]) program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    const nth = phone.texts().findIndex((text) => text.startsWith("[coder]"));
    await phone.writes("for the writer");
    await phone.writes("[docs] second");
    await phone.presses("Approve", nth);
    await desk.advance(5_000);
    expect(coder.program.answers).toEqual(["1"]);
    docs.program.answersDialog();
    await desk.advance(60_000);
    expect(docs.program.submitted.join("\n")).toMatch(/📱 for the writer.*📱 second/su);
  });

  it("undo takes back the text that it thinks about, and not the one before it", async () => {
    const { desk, web, docs, phone } = await threeAgents();
    await slowly(desk, phone, 2);
    await phone.writes("[web] first");
    await passed(desk);
    await phone.writes("tell the writer");
    await desk.advance(1_000);
    await phone.writes("undo");
    await desk.advance(2_000);
    expect(phone.texts().at(-1)).toBe("✓ Undone: nobody got it.");
    await desk.advance(60_000);
    expect([web.program.submitted, docs.program.submitted]).toEqual([
      [expect.stringContaining("📱 first")],
      [],
    ]);
    expect(phone.texts()).toHaveLength(2);
  });
});

describe("strangers and echoes", () => {
  it("reach nobody, and move the cursor", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    expect(await phone.writes("rm -rf", { from: "666" })).toBe("stranger");
    expect(await phone.writes("rm -rf", { from: "" })).toBe("stranger");
    expect(await phone.writes("rm -rf", { path: "agent/coder" })).toBe("stranger");
    expect(await phone.writes("rm -rf", { path: "telegram/*" })).toBe("stranger");
    expect(phone.kept("offset")).toBe("4");
    await passed(desk);
    expect([coder.program.submitted, phone.texts()]).toEqual([[], []]);
  });

  it("who are allowed reach subscribers, and never the desk", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.allowed = ["7"];
    await phone.writes("hello", { from: "7" });
    await passed(desk);
    expect(coder.program.submitted).toEqual([]);
    expect(desk.store.read.unmatched({ limit: 5 }).map(({ message }) => message.from)).toEqual([
      "telegram/7",
    ]);
  });

  it("come once, though the platform brings them twice with other words", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    await phone.writes("once", { externalId: "same" });
    expect(await phone.writes("twice", { externalId: "same" })).toBe("repeated");
    await passed(desk);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("of more than a minute's worth become dead letters", async () => {
    const { desk } = await oneAgent();
    const phone = await connectedPhone(desk);
    const taken: string[] = [];
    for (let index = 0; index < 63; index += 1) taken.push(await phone.writes(`line ${index}`));
    expect(taken.filter((one) => one === "flood")).toHaveLength(3);
    expect(desk.store.read.unmatched({ limit: 5 })).toHaveLength(3);
  });
});

describe("what an agent says outside", () => {
  it("is refused in the platform's words", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.answer = { kind: "refused", why: "chat not found" };
    const sent = await desk.sendAs(coder, "telegram/42", "hello");
    await passed(desk);
    expect(desk.state(sent)).toBe("failed");
    expect(desk.lastNote(sent)).toBe("telegram refused it: chat not found");
  });

  it("waits while the platform is down, and goes out once in order", async () => {
    const { desk, coder } = await oneAgent();
    const phone = await connectedPhone(desk);
    phone.answer = "down";
    const sent = await desk.sendAs(coder, "telegram/42", "first");
    await desk.sendAs(coder, "telegram/42", "second");
    await passed(desk);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "offline" } });
    phone.answer = { kind: "said" };
    await desk.advance(120_000);
    expect(phone.texts()).toEqual(["[coder] first", "[coder] second"]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "accepted" });
  });
});
