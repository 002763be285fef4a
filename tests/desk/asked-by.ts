/** The use-cases as the doors call them, for a test: on behalf of the caller that the request names, else the owner. */
import type { Claims } from "../../src/wire/verbs/claims.ts";
import type { AskedUseCases, UseCases, Verb } from "../../src/wire/verbs/index.ts";

type Ask = (request: { readonly claims?: Claims }, claims: Claims) => Promise<unknown>;

export function askedBy(useCases: AskedUseCases, otherwise: Claims = { user: "dev" }): UseCases {
  const asked = (Object.keys(useCases) as Verb[]).map((verb) => {
    const ask = useCases[verb] as Ask;
    return [verb, (request: { readonly claims?: Claims }) => ask(request, request.claims ?? otherwise)];
  });
  return Object.fromEntries(asked) as UseCases;
}
