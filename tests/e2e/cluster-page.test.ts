/** docs/cluster.md, followed word for word on two machines that only a switch connects. Only `scp` is our own. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeAll, expect, it } from "vitest";
import { WRITTEN } from "../cli/as-written.ts";
import { fencesIn, type Page, readPage } from "../cli/pages.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { type Machine, Machines } from "../rig/machines.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import { until } from "../rig/scripted-agent.ts";

beforeAll(assertInNamespace);

const page = readPage("docs/cluster.md");
const HOSTS = ["laptop", "workstation"] as const;
type HostName = (typeof HOSTS)[number];

interface Block {
  readonly on: HostName;
  readonly script: string;
  readonly section: string;
}

/** Each line of the page's scripts, and the machine that was named last before it. What has a here-document is one. */
function blocksIn({ text }: Page): readonly Block[] {
  return fencesIn(page, "sh").flatMap((block) => {
    const before = text.slice(0, text.indexOf(`\`\`\`sh\n${block}\`\`\``));
    const named = [...before.matchAll(/On the\s+(laptop|workstation)/g)].at(-1)?.[1];
    const section = [...before.matchAll(/^## (.+)$/gm)].at(-1)?.[1] ?? "";
    const scripts = block.includes("<<") ? [block] : block.split("\n").filter(Boolean);
    return scripts.map((script) => ({
      on: named === "workstation" ? "workstation" : "laptop",
      script,
      section,
    }));
  });
}

class Host {
  readonly bellhop: Bellhop;
  readonly user: string;
  readonly #machine: Machine;
  readonly #env: Record<string, string>;
  readonly #shells: ChildProcess[] = [];

  constructor(folder: string, machine: Machine) {
    this.#machine = machine;
    this.user = join(folder, machine.name);
    const bin = bellhopOnPath(join(this.user, "bin"));
    mkdirSync(join(this.user, "tmux"));
    // Between two folders on one disk.
    writeFileSync(join(bin, "scp"), `#!/bin/sh\nexec cp "${folder}/workstation/\${1#*:}" "$2"\n`, {
      mode: 0o755,
    });
    this.bellhop = new Bellhop({ machine, env: { TMUX_TMPDIR: join(this.user, "tmux") } });
    symlinkSync(this.bellhop.home, join(this.user, ".bellhop"));
    const path = [bin, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
    this.#env = { ...this.bellhop.env, HOME: this.user, PATH: path };
  }

  async types(script: string): Promise<string> {
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const how = { cwd: this.user, env: this.#env, stdio: [...stdio], detached: true };
    const shell = this.#machine.spawn("bash", ["-e", "-c", script], how);
    this.#shells.push(shell);
    let [stdout, stderr] = ["", ""];
    shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    shell.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const [code] = await once(shell, "close");
    expect(code, `${script}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  }

  /** Also what its shells have left running. */
  async end(): Promise<void> {
    for (const { pid } of this.#shells)
      try {
        if (pid !== undefined) process.kill(-pid, "SIGKILL");
      } catch {
        // Nothing was left.
      }
    await this.bellhop.dispose();
  }
}

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

it("can be followed step by step", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bh-page-"));
  closers.push(() => removeFolder(folder));
  const machines = await Machines.start(HOSTS);
  closers.push(() => machines.end());
  const hosts = {
    laptop: new Host(folder, machines.machine("laptop")),
    workstation: new Host(folder, machines.machine("workstation")),
  };
  for (const host of Object.values(hosts)) {
    closers.push(() => host.end());
    await host.bellhop.start();
  }
  const { laptop, workstation } = hosts;
  const written = [...page.text.matchAll(/cluster admit (laptop|workstation) (bh1\w{43})/g)];
  const keys = new Map(written.map(([, host, key]) => [key ?? "", host as HostName]));
  expect(new Set(keys.values())).toEqual(new Set(HOSTS));
  let message = "";
  let [shown, inbox] = ["", ""];
  let followed = 0;
  for (const { on, script, section } of blocksIn(page)) {
    let typed = script.replaceAll(WRITTEN.message, message);
    for (const [key, host] of keys)
      if (typed.includes(key)) typed = typed.replaceAll(key, await keyOf(hosts[host]));
    const stdout = await hosts[on].types(typed);
    followed += 1;
    if (script.includes("--host laptop"))
      expect(await withWrittenKeys(stdout, keys, hosts)).toBe(fencesIn(page, "text")[0]);
    if (script.includes("cluster test workstation"))
      expect(stdout).toMatch(/^ok +host workstation: it answered in /m);
    if (script.includes("cluster hosts")) expect(stdout).toMatch(/^workstation +up /m);
    const sent = /^queued #([a-z0-9]{6}) for agent\/coder@workstation$/m.exec(stdout)?.[1];
    if (sent !== undefined) {
      message = sent;
      await until(
        async () => (await workstation.bellhop.run(["show", sent])).code === 0,
        "the message there",
      );
    }
    if (script.includes("bellhop reply"))
      await until(
        async () => (await laptop.bellhop.run(["show", message])).stdout.includes("replied"),
        "the answer",
      );
    if (on === "laptop" && section.startsWith("Two")) [shown, inbox] = [stdout, `${inbox}${stdout}`];
  }
  expect(followed).toBeGreaterThan(7);
  expect(inbox).toContain("agent/coder@workstation");
  expect(shown).toMatch(/^agent\/coder@workstation +replied/m);
  expect((await laptop.bellhop.run(["cluster", "status", "--json"])).stdout).toBe("null\n");
});

async function keyOf({ bellhop }: Host): Promise<string> {
  return (await bellhop.json<{ key: string }>(["cluster", "status"])).key;
}

async function withWrittenKeys(
  printed: string,
  keys: ReadonlyMap<string, HostName>,
  hosts: Readonly<Record<HostName, Host>>,
): Promise<string> {
  const own = await keyOf(hosts.laptop);
  const written = [...keys].find(([, host]) => host === "laptop")?.[0] ?? "";
  return printed.replaceAll(own, written);
}
