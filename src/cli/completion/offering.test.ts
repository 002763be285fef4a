import { expect, it } from "vitest";
import type { Client } from "../../client/connect.ts";
import { BellhopError } from "../../core/errors.ts";
import type { CommandContext } from "../context.ts";
import { Output } from "../printing/output.ts";
import { offerWords } from "./offering.ts";

async function offered(
  client: Partial<Client> | Error,
  what: Parameters<typeof offerWords>[1],
  time: "stands" | "flies" = "stands",
) {
  const said = { stdout: "", stderr: "" };
  const asked: string[] = [];
  const sink = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
    },
    drained: async () => {},
    isTerminal: true,
    columns: 80,
  });
  const out = new Output({
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    colours: () => "off",
    json: false,
  });
  const context = {
    out,
    claims: () => ({ user: "dev" }),
    pause: async () => (time === "flies" ? undefined : new Promise(() => {})),
    reach: async (start: string) => {
      asked.push(start);
      if (client instanceof Error) throw client;
      return client;
    },
  } as unknown as CommandContext;
  return { status: await offerWords(context, what), ...said, asked };
}

it("offers those who run first, and no word that a shell could take for more", async () => {
  const agent = (name: string, live: boolean) => ({ name, sessions: [{ live, program: "claude" }] });
  const agents = [agent("api", false), agent("web", true), agent("$(reboot)", true)];
  const call = async () => ({ agents });
  expect(await offered({ call: call as never }, "agent")).toEqual({
    status: 0,
    stdout: "web\tclaude\napi\tnot running\n",
    stderr: "",
    asked: ["never"],
  });
});

it("offers agents of other hosts with their host, to whoever writes", async () => {
  const agents = [{ name: "api", sessions: [] }];
  const on = (host: string, state: string, ...names: readonly string[]) => ({
    host,
    state,
    agents: names.map((name) => ({ name, program: "claude", state: "busy" })),
  });
  const hosts = [
    on("laptop", "here", "api"),
    on("box", "up", "coder", "$(reboot)"),
    on("cloud", "silent", "coder"),
    on("stranger", "not-admitted", "coder"),
  ];
  const call = async (verb: string) => (verb === "cluster_hosts" ? { hosts } : { agents });
  const local = "api\tnot running\n";
  expect((await offered({ call: call as never }, "recipient")).stdout).toBe(
    `${local}box:coder\tclaude, busy\ncloud:coder\tclaude, host silent\n`,
  );
  expect((await offered({ call: call as never }, "agent")).stdout).toBe(local);
});

it("offers those who are here without a cluster", async () => {
  const call = async (verb: string) => {
    if (verb === "agent_list") return { agents: [{ name: "api", sessions: [] }] };
    throw new BellhopError("cluster.absent", { message: "No.", next: "Join one." });
  };
  expect((await offered({ call: call as never }, "recipient")).stdout).toBe("api\tnot running\n");
});

it("is silent when no daemon runs, when it refuses, and when it is slow", async () => {
  const away = new BellhopError("daemon.not_running", { message: "It does not run.", next: "Start it." });
  const refused = async () => {
    throw new BellhopError("rights.missing", { message: "No.", next: "Ask." });
  };
  for (const client of [away, { call: refused as never }])
    expect(await offered(client, "waiting")).toEqual({ status: 0, stdout: "", stderr: "", asked: ["never"] });
  const slow = { call: () => new Promise<never>(() => {}) };
  expect(await offered(slow, "waiting", "flies")).toMatchObject({ status: 0, stdout: "", stderr: "" });
});

it("offers messages of one's inbox also where the history is not one's own to see", async () => {
  const entry = (shortId: string) => ({
    message: { shortId, from: "agent/api", body: "two\nlines\x1b[31m" },
  });
  const call = async (verb: string) => {
    if (verb === "inbox") return { entries: [entry("m7k2q9")] };
    throw new BellhopError("rights.missing", { message: "No.", next: "Ask." });
  };
  expect((await offered({ call: call as never }, "message")).stdout).toBe("m7k2q9\tagent/api: two lines\n");
});
