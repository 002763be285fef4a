import { TEXT } from "../strings.ts";

export function SettingsPage() {
  return (
    <section class="page" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.settings}</h2>
    </section>
  );
}
