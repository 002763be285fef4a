import type { UseCasesOf } from "../../wire/verbs/index.ts";
import type { watches } from "../../wire/verbs/watches.ts";
import type { UseCaseParts } from "./parts.ts";

export function watchVerbs(parts: UseCaseParts): UseCasesOf<typeof watches> {
  return {
    watch: async (request) => {
      await parts.registrar.resolve(request.who);
      return parts.watches.set(request);
    },
    unwatch: async ({ who, claims }) => ({ ended: await parts.watches.end(who, claims) }),
    watches: async ({ claims }) => ({ watches: parts.watches.list(claims) }),
  };
}
