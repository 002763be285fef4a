/** `bellhop profile learn` and `check`, with the built command line and a real program in tmux. */
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

let tmux: TmuxServer;
let bellhop: Bellhop;
let pane: string;

beforeEach(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}`,
    env: { TMUX_TMPDIR: tmux.folder },
  });
  await bellhop.start();
  ({ pane } = await startScriptedAgent({ tmux, name: "coder" }));
  const isIdle = async () => (await bellhop.ask("ls", {})).sessions[0]?.readiness === "idle";
  await until(isIdle, () => "coder to be idle");
});

afterEach(async () => {
  await tmux.kill();
  await bellhop.dispose();
});

const screens = () => join(bellhop.home, "screens");
const learn = (...more: readonly string[]) =>
  bellhop.run(["profile", "learn", "coder", "--to", screens(), ...more]);

describe("profile learn", () => {
  it("captures what stands there, without the person's home, and check reads the same", async () => {
    await tmux.run("send-keys", "-t", pane, "-l", `see ${process.env.HOME}/notes`);
    await tmux.waitForScreen(pane, (screen) => screen.includes("/notes"));
    const learnt = await learn("--name", "typed-single", "--json");
    expect(learnt.stderr).toBe("");
    const { folder, program, reading } = JSON.parse(learnt.stdout);
    expect({ program, reading }).toMatchObject({
      program: "scripted",
      reading: expect.stringContaining("/notes"),
    });
    expect(folder).toBe(join(screens(), "scripted", "unknown"));
    const text = readFileSync(join(folder, "typed-single.txt"), "utf8");
    expect(text).toContain("> see ");
    if (userInfo().homedir !== "/") expect(text).not.toContain(`${process.env.HOME}/notes`);
    expect(readFileSync(join(folder, "typed-single.meta"), "utf8")).toMatch(
      /^size=\d+x\d+\ncursor=\d+,\d+\ncursor_visible=1\n/,
    );
    const checked = await bellhop.run(["profile", "check", screens(), "--json"]);
    expect(checked.code).toBe(0);
    const [one] = JSON.parse(checked.stdout);
    expect(one).toMatchObject({ name: join("scripted", "unknown", "typed-single"), recorded: one.reading });
  });

  it("writes nothing over, and nothing for nobody", async () => {
    await learn("--name", "idle-empty");
    const again = await learn("--name", "idle-empty", "--json");
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(again.stderr).error.code).toBe("file.unsafe");
    expect((await learn("--name", "../out")).code).toBe(2);
    expect((await learn()).code).toBe(2);
    const unknown = await bellhop.run(["profile", "learn", "nobody", "--to", screens(), "--name", "x"]);
    expect(unknown.code).toBe(3);
    expect(existsSync(join(bellhop.home, "out.ansi"))).toBe(false);
  });

  it("says if a profile reads a capture differently", async () => {
    await learn("--name", "idle-empty");
    const other = await bellhop.run(["profile", "check", screens(), "--profile", "claude"]);
    expect(other.code).toBe(1);
    expect(other.stdout).toContain("unknown: no composer with the cursor in it");
    expect((await bellhop.run(["profile", "check", screens(), "--profile", "none"])).code).toBe(2);
    expect((await bellhop.run(["profile", "check", join(bellhop.home, "run")])).code).toBe(2);
  });
});

describe("profile add", () => {
  it("adds a profile that comes with Bellhop, once, and it counts at once", async () => {
    const dry = await bellhop.run(["profile", "add", "pi", "--dry-run"]);
    expect(dry.stdout).toContain("+  - name: pi");
    expect((await bellhop.run(["profile", "add", "pi"])).code).toBe(0);
    const config = readFileSync(join(bellhop.home, "config.yaml"), "utf8");
    expect(config).toContain("- name: scripted");
    expect(config).toContain("- name: pi");
    expect((await bellhop.run(["profile", "add", "pi"])).code).not.toBe(0);
    expect((await bellhop.run(["profile", "add", "nothing"])).code).toBe(2);
    expect((await bellhop.run(["profile", "add", "claude"])).stderr).toContain("knows claude by itself");
    expect(JSON.parse((await bellhop.run(["profile", "list", "--json"])).stdout)).toEqual(
      expect.arrayContaining([
        { name: "pi", from: "taught", proven: [] },
        { name: "qwen", from: "shipped", proven: [] },
      ]),
    );
  });
});
