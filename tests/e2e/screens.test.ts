/** Live copies of the real programs: equal to their terminal, cell by cell, for who was there first and who comes later. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostRecord } from "../../src/wire/host/host.ts";
import { runsIn } from "../rig/agent-terminal.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { showsClaudeComposer, startClaude } from "../rig/claude.ts";
import { showsCodexComposer, startCodex } from "../rig/codex.ts";
import { type FakeModel, startFakeModel } from "../rig/fake-model.ts";
import { HostViewer } from "../rig/host-viewer.ts";
import { HostedPlace } from "../rig/hosted-place.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import {
  Drawing,
  paneSeen,
  ScreenPage,
  type Seen,
  textOf,
  untilEqual,
  withoutErasedGround,
} from "../rig/screen-page.ts";
import { until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

let tmux: TmuxServer;
let model: FakeModel;
let bellhop: Bellhop;
const pages: ScreenPage[] = [];

beforeAll(assertInNamespace);
beforeEach(async () => {
  tmux = startTmuxServer();
  model = await startFakeModel();
  bellhop = new Bellhop({ config: `tmux: { servers: ["${tmux.socket}"] }\n` });
  await bellhop.start();
});
afterEach(async () => {
  for (const page of pages.splice(0)) page.close();
  await tmux.kill();
  await bellhop.dispose();
  await model.close();
});

async function found(pane: string): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    const { sessions } = await bellhop.ask("ls", {});
    id = sessions.find((session) => runsIn(session, pane))?.id;
    return id !== undefined;
  }, "the program to be found");
  return id ?? "";
}

async function looking(id: string): Promise<ScreenPage> {
  const page = await ScreenPage.of(bellhop);
  pages.push(page);
  await page.look(1, id);
  return page;
}

/** Attached from the start: what the program writes, drawn byte by byte as it came. */
class AttachedPerson {
  readonly #viewer: HostViewer;
  readonly #drawing: Drawing;

  private constructor(viewer: HostViewer, drawing: Drawing) {
    this.#viewer = viewer;
    this.#drawing = drawing;
  }

  static async at({ socket, token }: HostRecord, size: Size): Promise<AttachedPerson> {
    const viewer = await HostViewer.attach(socket, token, size);
    const drawing = new Drawing(size.cols, size.rows);
    for (const bytes of viewer.shown) void drawing.write(bytes);
    viewer.onShown = (bytes) => void drawing.write(bytes);
    viewer.say({ type: "passthrough", on: true });
    return new AttachedPerson(viewer, drawing);
  }

  async seen(): Promise<Seen> {
    await this.#drawing.write("");
    return this.#drawing.seen();
  }

  resize(size: Size): void {
    this.#drawing.resize(size.cols, size.rows);
    this.#viewer.say({ type: "resize", ...size });
  }

  press(keys: string): void {
    this.#viewer.press(keys);
  }

  close(): void {
    this.#viewer.close();
  }
}

interface Size {
  readonly cols: number;
  readonly rows: number;
}

describe.each([
  ["Claude Code", startClaude, showsClaudeComposer, (seen: Seen) => seen],
  // It erases the rest of a line in a colour, which this tmux does not capture.
  ["Codex", startCodex, showsCodexComposer, withoutErasedGround],
])("a copy of the real %s", (_, start, showsComposer, compared) => {
  const equal = (page: ScreenPage, own: () => Promise<Seen>, what?: (seen: Seen) => boolean) =>
    untilEqual(page, 1, own, what, compared);

  it("equals its pane from the start through a turn, for a later viewer too, and at another size", async () => {
    const agent = await start({ tmux, model, waitForComposer: false, cols: 110, rows: 36 });
    const { pane } = agent;
    const page = await looking(await found(pane));
    const own = () => paneSeen(tmux, pane);
    const composer = (seen: Seen) => showsComposer(textOf(seen));
    await equal(page, own, composer);
    await tmux.run("send-keys", "-t", pane, "-l", "a draft with 日本語 and 🚀");
    await equal(page, own, (seen) => textOf(seen).includes("a draft with"));
    await tmux.run("send-keys", "-t", pane, "Enter");
    await until(
      () => model.requests.some(({ newPrompts }) => newPrompts.join().includes("a draft with")),
      "the prompt to reach the model",
    );
    const later = await looking(await found(pane));
    await equal(page, own, composer);
    await equal(later, own, composer);
    await tmux.run("resize-window", "-t", pane, "-x", "78", "-y", "24");
    await equal(page, own, (seen) => seen.cols === 78 && composer(seen));
    await equal(later, own, composer);
    expect(page.count("screen.ended", 1)).toBe(0);
  });

  it("equals what a person sees who is attached to it, where Bellhop hosts it, at two sizes", async () => {
    const place = new HostedPlace(bellhop, tmux);
    const { pane } = await start({ tmux, model, place, waitForComposer: false });
    const page = await looking(pane);
    const person = await AttachedPerson.at(place.opened(pane).record, { cols: 110, rows: 36 });
    const own = async () => person.seen();
    const composer = (seen: Seen) => showsComposer(textOf(seen));
    try {
      await untilEqual(page, 1, own, (seen) => seen.cols === 110 && composer(seen));
      person.press("a draft with 日本語 and 🚀");
      await untilEqual(page, 1, own, (seen) => textOf(seen).includes("a draft with"));
      person.press("\r");
      await until(
        () => model.requests.some(({ newPrompts }) => newPrompts.join().includes("a draft with")),
        "the prompt to reach the model",
      );
      const later = await looking(pane);
      for (const size of [
        { cols: 78, rows: 24 },
        { cols: 131, rows: 41 },
      ]) {
        person.resize(size);
        for (const each of [page, later])
          await untilEqual(each, 1, own, (seen) => seen.cols === size.cols && composer(seen));
      }
    } finally {
      person.close();
      await place.close();
    }
  });

  it("takes a person's keys, which the program reads as its own", async () => {
    const agent = await start({ tmux, model });
    const page = await looking(await found(agent.pane));
    expect(await page.keyboard(1, true)).toMatchObject({ type: "screen.keyboard.ok" });
    for (const key of "typed from afar") page.keys(1, key);
    await until(async () => (await page.text(1)).includes("typed from afar"), "the draft");
    page.keys(1, "\r");
    await until(
      () => model.requests.some(({ newPrompts }) => newPrompts.join().includes("typed from afar")),
      "the prompt to reach the model",
    );
  });
});
