/** The open questions of one connection: each is settled once, by its answer, a refusal, its deadline or a loss. */

interface Question<Said> {
  answer(said: Said): void;
  refuse(error: Error): void;
}

export interface Pending<Said> {
  /** If `read` throws, the question stays open until the connection is lost because of it. */
  ask<Answer>(
    send: (id: number) => void,
    read: (said: Said) => Answer,
    deadline: { readonly withinMs: number | "never"; late(): Error },
  ): Promise<Answer>;
  find(id: unknown): Question<Said> | "settled" | "never-asked";
  lose(error: Error): void;
}

/** `after` returns a function that cancels the timer. */
export function pendingQuestions<Said>(after: (ms: number, late: () => void) => () => void): Pending<Said> {
  const open = new Map<unknown, Question<Said>>();
  let asked = 0;
  return {
    ask(send, read, { withinMs, late }) {
      asked += 1;
      const id = asked;
      return new Promise((resolve, reject) => {
        let callOff: (() => void) | undefined;
        const settled = (): void => {
          callOff?.();
          open.delete(id);
        };
        const question: Question<Said> = {
          answer(said) {
            resolve(read(said));
            settled();
          },
          refuse(error) {
            reject(error);
            settled();
          },
        };
        open.set(id, question);
        try {
          send(id);
        } catch (error) {
          question.refuse(error as Error);
        }
        // Armed last: the other side begins meanwhile. It may also have answered at once.
        if (withinMs !== "never" && open.has(id)) callOff = after(withinMs, () => question.refuse(late()));
      });
    },
    find: (id) =>
      open.get(id) ??
      (Number.isInteger(id) && Number(id) > 0 && Number(id) <= asked ? "settled" : "never-asked"),
    lose(error) {
      for (const question of [...open.values()]) question.refuse(error);
    },
  };
}
