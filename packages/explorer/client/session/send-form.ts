/** Leaves the page by a form: what it says stands in no address. */
export function sendForm(address: string, members: Readonly<Record<string, string>>): void {
  const inputs = Object.entries(members).map(([name, value]) =>
    Object.assign(document.createElement('input'), { type: 'hidden', name, value }),
  );
  const form = Object.assign(document.createElement('form'), { method: 'post', action: address });
  form.append(...inputs);
  document.body.append(form);
  form.submit();
}
