/** What can be asked by HTTP. Thin: parse, call the use-case, answer. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { BellhopError } from "../core/errors.ts";
import type { Instant } from "../core/message.ts";
import { requestToCamel } from "../wire/casing.ts";
import { parseJsonBytes } from "../wire/lines.ts";
import type { UseCases } from "../wire/shapes.ts";
import { answerRequest, readRequest } from "./requests.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route that needs no token. */
    readonly open?: "to-all";
  }
}

export interface RouteSetting {
  readonly useCases: UseCases;
  readonly user: string;
  readonly now: () => Instant;
}

export function addRoutes(app: FastifyInstance, setting: RouteSetting): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, bytes: Buffer) => parseJsonBytes(bytes),
  );

  app.get("/healthz", { config: { open: "to-all" } }, async () => ({ ok: true }));

  app.post<{ Params: { event: string } }>("/hooks/:event", async (request, reply) => {
    const fields = { ...fieldsOf(request.body), eventName: request.params.event };
    const caller = { user: setting.user, now: setting.now() };
    const { output } = await answerRequest(
      setting.useCases,
      "hook_event",
      readRequest("hook_event", fields, caller),
    );
    // The body is what the hook prints for its program, so that `curl` alone can be the hook.
    return output === undefined
      ? reply.code(204).send()
      : reply.type("application/json").send(JSON.stringify(output));
  });
}

function fieldsOf(body: unknown): Record<string, unknown> {
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    throw new BellhopError("request.malformed", {
      message: "The body is not a JSON object.",
      next: 'Send {"program": …, "payload": …, "environment": …, "emitted_at": …}.',
    });
  }
  return requestToCamel(body) as Record<string, unknown>;
}
