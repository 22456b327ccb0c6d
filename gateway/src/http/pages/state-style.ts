/** What the page of the gateway's state has beside the style of the landing page. */
export const STATE_STYLE = `
main {
  max-width: 64rem;
}
.scroll {
  overflow-x: auto;
}
table {
  width: 100%;
  border-collapse: collapse;
  overflow-wrap: normal;
}
th,
td {
  padding: 0.4rem 0.75rem 0.4rem 0;
  text-align: start;
  border-block-end: 1px solid var(--muted);
}
`;
