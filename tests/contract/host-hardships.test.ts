/** What programs and people do to a host that could break it. */
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { HostViewer } from "../rig/host-viewer.ts";
import { until } from "../rig/scripted-agent.ts";
import { type AttachStage, attachStageForEach, type HostedProgram } from "./attach-stage.ts";

let stage: AttachStage;
attachStageForEach((fresh) => {
  stage = fresh;
});

const SIZE = { cols: 80, rows: 24 };
const viewerOf = ({ record }: HostedProgram) => HostViewer.attach(record.socket, record.token, SIZE);
const shown = (viewer: HostViewer) => Buffer.concat(viewer.shown).toString("utf8");

describe("a program that echoes everything", () => {
  it.each([["keys"], ["a line of the bar"]])(
    "takes a quarter of a megabyte of %s, and goes on",
    async (by) => {
      const host = await stage.host(["cat"]);
      const viewer = await viewerOf(host);
      const text = `${"0123456789 and so on until the end of the line\n".repeat(5_000)}THE END`;
      if (by === "keys") viewer.press(`${text}\r`);
      else viewer.say({ type: "submit", text });
      await until(() => shown(viewer).includes("THE END"), "its last words", 60_000);
      expect((await host.screen()).lines.some(({ text: line }) => line.includes("THE END"))).toBe(true);
      viewer.close();
    },
  );
});

describe("a program that never reads", () => {
  it("is still shown, and more than fits is refused", async () => {
    const host = await stage.host(["sh", "-c", "stty raw -echo; echo ready; exec sleep 600"]);
    const viewer = await viewerOf(host);
    await until(() => shown(viewer).includes("ready"), "the program");
    const line = "x".repeat(200_000);
    for (let times = 0; times < 25; times += 1) viewer.say({ type: "submit", text: line });
    await until(() => viewer.told.some(({ type }) => type === "refused"), "a refusal");
    expect(viewer.told).toContainEqual({
      type: "refused",
      what: "submit",
      message: "The program is not reading its input.",
    });
    expect((await host.screen()).lines[0]?.text).toBe("ready");
    viewer.close();
  });
});

describe("a program that closes its terminal and goes on", () => {
  it("does not take the host along when windows change", async () => {
    const quiet = 'trap "" HUP; echo ready; sleep 0.3; exec <&- >&- 2>&-; sleep 600';
    const host = await stage.host(["sh", "-c", quiet]);
    const viewer = await viewerOf(host);
    await until(() => shown(viewer).includes("ready"), "the program");
    for (let cols = 40; cols < 60; cols += 1) {
      viewer.say({ type: "resize", cols, rows: 20 });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const second = await viewerOf(host);
    second.close();
    viewer.close();
    expect(host.process.exitCode).toBeNull();
    await host.screen();
  });
});

describe("a large screen with a colour of its own in each cell", () => {
  it("is shown to who attaches, and read by the daemon", async () => {
    const size = { cols: 600, rows: 200 };
    const paint = `let out = "";
      for (let y = 0; y < ${size.rows}; y += 1) {
        out += "\\x1b[" + (y + 1) + ";1H";
        for (let x = 0; x < ${size.cols}; x += 1) {
          const cell = y * ${size.cols} + x;
          const colour = [cell >> 14, (cell >> 7) & 127, cell & 127].map((part) => 100 + part).join(";");
          out += "\\x1b[38;2;" + colour + ";48;2;" + colour + "m▀";
        }
      }
      process.stdout.write(out + "\\x1b[1;1H\\x1b[6n");
      process.stdin.setRawMode(true).once("data", () => process.stdout.write("\\x1b]0;drawn\\x07"));`;
    const host = await stage.host([process.execPath, "-e", paint], size);
    await until(async () => (await host.screen()).title === "drawn", "it to be drawn", 60_000);
    const { lines } = await host.screen();
    expect(lines).toHaveLength(size.rows);
    expect(new Set(lines.flatMap(({ runs }) => runs.map(({ foreground }) => foreground))).size).toBe(
      size.cols * size.rows,
    );
    expect(lines.at(-1)?.runs.at(-1)).toMatchObject({
      text: "▀",
      foreground: "38;2;107;141;163",
      background: "48;2;107;141;163",
    });
    const viewer = await HostViewer.attach(host.record.socket, host.record.token, size);
    await until(() => shown(viewer).includes("38;2;107;141;163"), "the last cell", 60_000);
    viewer.close();
  });
});

describe("whoever says what makes no sense", () => {
  it("presses nothing with it", async () => {
    const host = await stage.host(["sh", "-c", 'stty -echo; while read -r line; do echo "got<$line>"; done']);
    const viewer = await viewerOf(host);
    for (const wrong of [{ text: 5 }, {}, { text: "" }, { text: null }])
      viewer.say({ type: "submit", ...wrong } as never);
    viewer.say({ type: "submit", text: "right" });
    await until(() => shown(viewer).includes("got<right>"), "the line that is one");
    expect(shown(viewer)).not.toContain("got<>");
    expect(viewer.told.filter(({ type }) => type === "refused")).toHaveLength(4);
    viewer.close();
  });

  it("keeps nobody else out by staying after it was refused", async () => {
    const host = await stage.host(["sleep", "600"]);
    const strangers = Array.from({ length: 80 }, () =>
      connect({ path: host.record.socket, allowHalfOpen: true }),
    );
    const gone = strangers.map((stranger) => {
      stranger.on("error", () => {});
      stranger.resume();
      stranger.write('{"type":"attach","versions":[1],"token":"wrong"}\n');
      return once(stranger, "end").catch(() => {});
    });
    await Promise.all(gone);
    const viewer = await viewerOf(host);
    viewer.close();
    for (const stranger of strangers) stranger.destroy();
  });
});
