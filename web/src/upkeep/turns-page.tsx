import { TEXT } from "../strings.ts";

export function TurnsPage() {
  return (
    <section class="page" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.turns}</h2>
    </section>
  );
}
