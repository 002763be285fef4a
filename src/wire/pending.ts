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

export interface PendingClock {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Returns a function that cancels the timer. */
  after(ms: number, late: () => void): () => void;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Node takes a longer delay for none; a timer that comes too early is set again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function pendingQuestions<Said>(clock: PendingClock): Pending<Said> {
  const open = new Map<unknown, Open<Said>>();
  let asked = 0;
  // One timer for all of them: a caller may have hundreds of questions open, and most are answered long before.
  let timer: { readonly at: number; cancel(): void } | undefined;
  const disarm = (): void => {
    timer?.cancel();
    timer = undefined;
  };
  const settle = (id: number): void => {
    open.delete(id);
    if (open.size === 0) disarm();
  };
  const armFor = (at: number, now: number): void => {
    if (at === NEVER || (timer !== undefined && timer.at <= at)) return;
    timer?.cancel();
    timer = { at, cancel: clock.after(Math.min(at - now, LONGEST_TIMER_MS), refuseLate) };
  };
  const refuseLate = (): void => {
    timer = undefined;
    const now = clock.now();
    let next = NEVER;
    for (const question of [...open.values()]) {
      if (question.until > now) next = Math.min(next, question.until);
      else question.refuse(question.late());
    }
    armFor(next, now);
  };
  return {
    ask(send, read, { withinMs, late }) {
      asked += 1;
      const id = asked;
      return new Promise((resolve, reject) => {
        const now = withinMs === "never" ? 0 : clock.now();
        const until = withinMs === "never" ? NEVER : now + withinMs;
        const answered = (said: Said): void => resolve(read(said));
        const question = new Open(id, until, late, answered, reject, settle);
        open.set(id, question);
        try {
          send(id);
        } catch (error) {
          question.refuse(error as Error);
        }
        // Armed last: the other side begins meanwhile. It may also have answered at once.
        if (open.has(id)) armFor(until, now);
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

class Open<Said> implements Question<Said> {
  readonly until: number;
  readonly late: () => Error;
  readonly #id: number;
  readonly #answered: (said: Said) => void;
  readonly #refused: (error: Error) => void;
  readonly #settle: (id: number) => void;

  constructor(
    id: number,
    until: number,
    late: () => Error,
    answered: (said: Said) => void,
    refused: (error: Error) => void,
    settle: (id: number) => void,
  ) {
    this.#id = id;
    this.until = until;
    this.late = late;
    this.#answered = answered;
    this.#refused = refused;
    this.#settle = settle;
  }

  answer(said: Said): void {
    this.#answered(said);
    this.#settle(this.#id);
  }

  refuse(error: Error): void {
    this.#refused(error);
    this.#settle(this.#id);
  }
}
