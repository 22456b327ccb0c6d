import { Html } from './html.ts';

/** The style of the landing page, in the colours of the sign-in pages. */
export const LANDING_STYLE: Html = new Html(`
:root {
  color-scheme: light dark;
  --text: #1b1f24;
  --page: #f5f6f8;
  --card: #fff;
  --muted: #5f6773;
  --accent: #0b57d0;
  --on-accent: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6e9ee;
    --page: #14171b;
    --card: #1f2329;
    --muted: #aab3c0;
    --accent: #a8c7fa;
    --on-accent: #062e6f;
  }
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  min-height: 100vh;
  display: grid;
  place-items: center;
  padding: 1rem;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%;
  max-width: 44rem;
  padding: clamp(1rem, 5vw, 2.5rem);
  background: var(--card);
  border-radius: 0.75rem;
  overflow-wrap: anywhere;
}
h1 {
  margin: 0;
  font-size: 2rem;
}
h2 {
  margin: 2rem 0 0.5rem;
  font-size: 1.125rem;
}
a {
  color: var(--accent);
}
.action {
  display: inline-block;
  padding: 0.6rem 1.25rem;
  color: var(--on-accent);
  background: var(--accent);
  border-radius: 0.375rem;
  text-decoration: none;
}
pre {
  margin: 0;
  padding: 1rem;
  background: var(--page);
  border-radius: 0.375rem;
  white-space: pre-wrap;
}
.detail,
dt {
  color: var(--muted);
  font-size: 0.875rem;
}
dl {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr));
  gap: 1rem;
  margin: 2rem 0 0;
}
dd {
  margin: 0;
}
ul {
  margin: 0;
  padding-inline-start: 1.25rem;
}
:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}
`);
