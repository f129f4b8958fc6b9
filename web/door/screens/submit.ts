/** Handles a submitted form. `work` gets a function that returns the text of a field. */
export const submitting =
  (work: (field: (name: string) => string) => unknown) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    void work((name) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    });
  };
