import { EXIT } from "../../../core/errors.ts";
import type { Command } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { NO_CLUSTER, printChecks, printCluster, printHosts } from "../../printing/cluster.ts";
import { admit, expel, join, leave } from "./membership.ts";

async function showStatus({ ask, out, now }: CommandContext): Promise<undefined> {
  const { cluster: found } = await ask("cluster_status", {});
  out.result(found ?? null, () => {
    if (found === undefined) out.line(NO_CLUSTER);
    else printCluster(out, found, now());
  });
}

const status: Command = {
  name: "status",
  summary: "show this host's name and key, whether NATS can be reached, and what goes to each host",
  usage: ["cluster status"],
  examples: [
    { command: "bellhop cluster status", does: "also the line to type on the other hosts" },
    { command: "bellhop cluster status --json", does: "for scripts; null if there is no cluster" },
  ],
  run: showStatus,
};

const hosts: Command = {
  name: "hosts",
  summary: "list the hosts, and the agents on each, as they last said",
  usage: ["cluster hosts"],
  examples: [
    {
      command: "bellhop cluster hosts",
      does: "here, up, silent, key-differs or not-admitted, and its agents",
    },
    { command: "bellhop ls --all-hosts", does: "each agent by itself, with its state" },
  ],
  run: async ({ ask, out, now }) => {
    const { hosts: found } = await ask("cluster_hosts", {});
    out.result(found, () => {
      if (found.length === 0) out.line(NO_CLUSTER);
      else printHosts(out, found, now());
    });
  },
};

const TESTED_WITHIN_MS = 60_000;

const test: Command = {
  name: "test",
  summary: "try the way to NATS, or to another host and back, and say what to do about what is wrong",
  usage: ["cluster test [HOST]"],
  words: { least: 0, most: 1 },
  examples: [
    { command: "bellhop cluster test", does: "connects, looks at stream and bucket, stores something" },
    { command: "bellhop cluster test workstation", does: "also whether it answers, and how fast" },
  ],
  run: async ({ ask, out }, { words: [host] }) => {
    const request = host === undefined ? {} : { host };
    const { checks } = await ask("cluster_test", request, { timeoutMs: TESTED_WITHIN_MS });
    const failed = checks.some(({ verdict }) => verdict === "fail");
    out.result({ ok: !failed, checks }, () => printChecks(out, checks));
    return failed ? EXIT.failed : EXIT.ok;
  },
};

export const cluster: Command = {
  name: "cluster",
  summary: "reach agents on other machines, over NATS",
  usage: ["cluster [status]", "cluster hosts|test|join|leave|admit|expel"],
  examples: [
    { command: "bellhop cluster join --nats tls://nats.example.org --host laptop", does: "on each machine" },
    { command: "bellhop cluster admit workstation KEY", does: "what comes from there is let in" },
    { command: 'bellhop send workstation:coder "The build is green."', does: "to an agent there" },
  ],
  subcommands: [status, hosts, test, join, leave, admit, expel],
  run: showStatus,
};
