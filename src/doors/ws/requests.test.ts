import { expect, it } from "vitest";
import type { RouteResponse } from "../../wire/shapes/broker.ts";
import type { AskedUseCases } from "../../wire/verbs/index.ts";
import { AdmittedCaller, answerQuestion } from "./requests.ts";

async function routed(found: Partial<RouteResponse>): Promise<object> {
  const route = async () => ({ messageId: "m", delivered: true, deliveredToSessions: [], ...found });
  const caller = new AdmittedCaller({ route } as unknown as AskedUseCases, { user: "dev" });
  return answerQuestion("msg.route", { type: "msg.route", path: "team/news", body: "x" }, caller);
}

it("names the other hosts to which a path went, if there are any", async () => {
  const answer = { delivered: true, messageId: "m" };
  expect(await routed({ deliveredTo: ["coder"], deliveredToHosts: ["box"] })).toEqual({
    ...answer,
    deliveredTo: ["coder"],
    deliveredToHosts: ["box"],
  });
  expect(await routed({ deliveredTo: ["coder"] })).toEqual({ ...answer, deliveredTo: ["coder"] });
});
