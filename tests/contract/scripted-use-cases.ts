/** Use-cases without an office: each verb answers what the test says, and remembers what it was asked. */
import type { Log } from "../../src/ports/log.ts";
import type { RequestOf, UseCases, Verb } from "../../src/wire/shapes.ts";

export interface ScriptedUseCases {
  readonly useCases: UseCases;
  readonly asked: { readonly verb: Verb; readonly request: unknown }[];
}

export function scriptedUseCases(answers: Partial<UseCases>): ScriptedUseCases {
  const asked: { verb: Verb; request: unknown }[] = [];
  const useCases = new Proxy({} as UseCases, {
    get: (_, verb: Verb) => async (request: RequestOf<Verb>) => {
      asked.push({ verb, request });
      const answer = answers[verb] as ((request: unknown) => Promise<unknown>) | undefined;
      if (answer === undefined) throw new Error(`no answer scripted for ${verb}`);
      return answer(request);
    },
  });
  return { useCases, asked };
}

export interface RememberedLog extends Log {
  readonly entries: { readonly level: string; readonly event: string; readonly fields?: unknown }[];
}

export function rememberedLog(): RememberedLog {
  const entries: { level: string; event: string; fields?: unknown }[] = [];
  const at = (level: string) => (event: string, fields?: unknown) =>
    void entries.push({ level, event, fields });
  return { entries, info: at("info"), warn: at("warn"), error: at("error") };
}
