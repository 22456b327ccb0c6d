/** How far the site is. */
export type BuildState =
  | { readonly kind: 'unbuilt' }
  | { readonly kind: 'building' }
  | { readonly kind: 'failed'; readonly message: string };

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; box-sizing: border-box; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; }
h1 { font-size: 1.5rem; }
button { font: inherit; padding: 0.6rem 1.25rem; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const REFRESH_S = 2;

/** The page of a site that is not built yet. It loads nothing, and needs no script. Its button posts to the page's own address. */
export function unbuiltPage(state: BuildState): { readonly html: string; readonly style: string } {
  const isBuilding = state.kind === 'building';
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isBuilding ? `<meta http-equiv="refresh" content="${REFRESH_S}">\n` : ''}<title>Documentation</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Documentation</h1>
${isBuilding ? BUILDING : formOf(state)}
</main>
</body>
</html>
`;
  return { html, style: STYLE };
}

const BUILDING =
  '<p role="status">The site is being built. This page shows it when that is done, in about a minute.</p>';

function formOf(state: BuildState): string {
  const failure =
    state.kind === 'failed'
      ? `<p role="alert">The build failed:</p>\n<pre>${escapeText(state.message)}</pre>\n`
      : '';
  return `${failure}<p>The site is not built yet. Building it takes about a minute and installs its packages in <code>docs-site/</code>;
<code>npm run docs</code> does the same. The pages are in <code>docs/</code>, too.</p>
<form method="post"><button>Build it</button></form>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
