/** Live copies of hosted terminals, by the built daemon and a real host. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openHome } from "../../src/home/home.ts";
import { HostViewer } from "../rig/host-viewer.ts";
import { hostRecords } from "../rig/hosts.ts";
import { OlderHost } from "../rig/older-host.ts";
import { type ScreenTold, textOf, untilEqual } from "../rig/screen-page.ts";
import { until } from "../rig/scripted-agent.ts";
import { ScreensStage } from "./screens-stage.ts";

let stage: ScreensStage;
beforeEach(async () => {
  stage = await ScreensStage.open();
});
afterEach(() => stage.close());

async function grant(who: string) {
  return stage.bellhop.ask("attach", { who });
}

/** The viewer that has the keyboard, as a person at the terminal was told last. */
function ownerSeenBy({ told }: HostViewer): number | null | undefined {
  return told.flatMap((one) => (one.type === "state" ? [one.state.passthrough] : [])).at(-1);
}

describe("a copy of a hosted terminal", () => {
  it.each([
    ["vim", ["vim", "-u", "NONE", "-c", "set number", "/etc/services"], "1"],
    ["htop", ["htop", "-d", "100"], "CPU"],
    ["less", ["less", "/etc/services"], "services"],
    ["bash", ["bash", "--norc", "-i"], "bash-"],
  ])(
    "equals %s, for who came first and who comes later, at two sizes that a person sets",
    async (_, command, sign) => {
      const id = await stage.hosts(command);
      const page = await stage.page();
      expect(await page.look(1, id)).toMatchObject({ kind: "hosted", sessionId: id, viewer: 1 });
      const own = () => stage.freshlySeen(id);
      const first = await untilEqual(page, 1, own, (seen) => textOf(seen).includes(sign));
      const { socket, token } = await grant(id);
      // Looking has not changed its size, and does not keep others from it.
      for (const size of [
        { cols: 70, rows: 20 },
        { cols: 131, rows: 41 },
      ]) {
        const person = await HostViewer.attach(socket, token, size);
        await untilEqual(page, 1, own, ({ cols, rows }) => cols === size.cols && rows.length === size.rows);
        person.close();
      }
      expect(first.cols).toBe(120);
    },
  );

  it("takes keys from who has the keyboard, which is the host's own passthrough", async () => {
    const id = await stage.hosts(["bash", "--norc", "-i"]);
    const page = await stage.page();
    await page.look(1, id);
    await page.hears("screen.state", 1, ({ keyboard }) => keyboard === "free");
    expect(await page.keyboard(1, true)).toMatchObject({ type: "screen.keyboard.ok" });
    await page.hears("screen.state", 1, ({ keyboard }) => keyboard === "mine");
    page.keys(1, "echo typed-$((40+2))\r");
    await until(async () => (await page.text(1)).includes("typed-42"), "what was typed");
    const { socket, token } = await grant(id);
    const person = await HostViewer.attach(socket, token, { cols: 80, rows: 24 });
    person.say({ type: "passthrough", on: true });
    await until(() => person.told.some(({ type }) => type === "refused"), "the refusal");
    expect(await page.keyboard(1, false)).toMatchObject({ type: "screen.keyboard.ok" });
    await until(() => ownerSeenBy(person) === null, "the host to hear of it");
    person.say({ type: "passthrough", on: true });
    const taken = await page.hears("screen.state", 1, ({ keyboard }) => keyboard === "taken");
    expect(taken.holder).toBe("somebody at its terminal");
    expect(await page.keyboard(1, true)).toMatchObject({
      type: "screen.keyboard.error",
      code: "keyboard.taken",
    });
    person.close();
  });

  it("does not keep a keyboard that its host gave too late", async () => {
    const id = await stage.hosts(["bash", "--norc", "-i"]);
    const page = await stage.page();
    await page.look(1, id);
    await page.hears("screen.state", 1, ({ keyboard }) => keyboard === "free");
    const host = hostRecords(stage.bellhop.home)[0]?.hostPid ?? 0;
    expect(host).toBeGreaterThan(1);
    process.kill(host, "SIGSTOP");
    try {
      expect(await page.keyboard(1, true)).toMatchObject({ code: "keyboard.refused" });
    } finally {
      process.kill(host, "SIGCONT");
    }
    const { socket, token } = await grant(id);
    const person = await HostViewer.attach(socket, token, { cols: 80, rows: 24 });
    await until(() => ownerSeenBy(person) === null, "the keyboard to be free");
    person.say({ type: "passthrough", on: true });
    await page.hears("screen.state", 1, ({ keyboard }) => keyboard === "taken");
    person.close();
  });

  it("ends with the program", async () => {
    const id = await stage.hosts(["bash", "--norc", "-i"]);
    const page = await stage.page();
    await page.look(1, id);
    await page.keyboard(1, true);
    page.keys(1, "exit\r");
    expect(await page.hears("screen.ended", 1)).toMatchObject({ why: expect.stringContaining("ended") });
  });
});

describe("a copy of a terminal whose host is of an earlier release", () => {
  it("is drawn, follows, comes back after a flood and a new size, and takes no keys", async () => {
    const id = await stage.hosts(["bash", "--norc", "-i"]);
    await stage.bellhop.stop();
    const [record] = hostRecords(stage.bellhop.home);
    if (record === undefined) throw new Error("no host");
    const older = await OlderHost.of(
      record,
      openHome({ BELLHOP_HOME: stage.bellhop.home }, { create: false }).hosts,
    );
    await stage.bellhop.start();
    const person = await HostViewer.attach(record.socket, record.token, { cols: 90, rows: 25 });
    person.say({ type: "passthrough", on: true });
    try {
      const page = await stage.page();
      await page.look(1, id);
      const own = () => stage.freshlySeen(id);
      person.press("printf 'wide 日本 and \\033[31mred\\033[m\\n'\r");
      await untilEqual(page, 1, own, (seen) => textOf(seen).includes("\nwide 日本 and red"));
      const before = older.viewers;
      person.press("seq 1 200000; echo all of it\r");
      await untilEqual(page, 1, own, (seen) => textOf(seen).includes("\nall of it"));
      expect(older.viewers).toBeGreaterThan(before);
      person.say({ type: "resize", cols: 70, rows: 20 });
      await untilEqual(page, 1, own, ({ cols, rows }) => cols === 70 && rows.length === 20);
      person.say({ type: "passthrough", on: false });
      let answer: ScreenTold | undefined;
      const isFree = async () => {
        answer = await page.keyboard(1, true);
        return answer.code !== "keyboard.taken";
      };
      await until(isFree, "the keyboard to be given back");
      expect(answer).toMatchObject({
        code: "keyboard.refused",
        message: expect.stringContaining("earlier Bellhop"),
      });
      expect(page.count("screen.ended", 1)).toBe(0);
    } finally {
      person.close();
      older.close();
    }
  });
});
