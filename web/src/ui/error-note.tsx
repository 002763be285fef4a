/** An error where it happened: what, and what to do next. */
export function ErrorNote({ message, next }: { readonly message: string; readonly next: string }) {
  return (
    <p class="note error" role="alert">
      <strong>{message}</strong> {next}
    </p>
  );
}
