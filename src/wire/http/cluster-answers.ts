/** HTTP answers about the cluster. */
import { z } from "zod";
import { HOST_RIGHTS } from "../../core/cluster/admission.ts";
import { HOST_STATES } from "../shapes/cluster.ts";
import { instant } from "./fields.ts";

export const engine = z
  .strictObject({
    state: z.enum(["starting", "up", "down"]),
    since: instant,
    server: z.string().exactOptional(),
    reason: z.string().exactOptional().describe("Why it is down."),
  })
  .describe("NATS.");

const clusterHost = z.strictObject({
  host: z.string(),
  state: z.enum(HOST_STATES),
  agents: z.array(
    z.strictObject({ name: z.string(), program: z.string().exactOptional(), state: z.string() }),
  ),
  version: z.string().exactOptional(),
  heard_at: instant.exactOptional(),
  rights: z.array(z.enum(HOST_RIGHTS)).exactOptional().describe("What it may do here."),
  doubt: z.string().exactOptional().describe("What is odd about it, and what to do."),
});

export const hostsAnswer = z.strictObject({ hosts: z.array(clusterHost).describe("This host first.") });

export const clusterAnswer = z.strictObject({
  cluster: z
    .strictObject({
      host: z.string(),
      key: z.string().exactOptional().describe("By which other hosts admit this one."),
      engine,
      servers: z.array(z.string()),
      stream: z.string(),
      hosts: z.array(clusterHost),
      traffic: z.array(
        z.strictObject({
          host: z.string(),
          waiting: z.int().min(0).describe("Messages for it that are still here."),
          underway: z.int().min(0).describe("Messages of which it has not said what became of them."),
          last_in: instant.exactOptional(),
          last_out: instant.exactOptional(),
          trouble: z.string().exactOptional().describe("Why nothing goes there, if that lies here."),
        }),
      ),
      strangers: z.int().min(0).describe("How many bags were dropped since the start."),
      stuck: z.literal(true).exactOptional(),
    })
    .exactOptional()
    .describe("Absent if this host is in no cluster."),
});
