import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';

const COLOURS = {
  light: { bg: '#ffffff', fg: '#1b1f24', accent: '#0b57d0' },
  dark: { bg: '#1b1b1f', fg: '#dfdfd6', accent: '#a8c7fa' },
} as const;

/** Draws the diagrams of pages while the site is built: a picture for light and one for dark, and no script. */
export function drawDiagrams(
  markdown: MarkdownRenderer,
  { publicFolder }: { readonly publicFolder: string },
): void {
  const others = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return others?.(tokens, index, ...rest) ?? '';
    const source = token.content.trim();
    const name = createHash('sha256').update(source).digest('hex').slice(0, 12);
    mkdirSync(join(publicFolder, 'diagrams'), { recursive: true });
    const pictures = (['light', 'dark'] as const).map((mode) => {
      const file = `diagrams/${name}-${mode}.svg`;
      writeFileSync(join(publicFolder, file), draw(source, mode));
      return `<img class="diagram ${mode}-only" :src="'/${file}'" alt="${describe(source)}">`;
    });
    return pictures.join('');
  };
}

function draw(source: string, mode: keyof typeof COLOURS): string {
  const svg = renderMermaidSVG(source.replaceAll(/<br\s*\/?>/g, ' '), {
    ...COLOURS[mode],
    font: 'sans-serif',
  });
  return svg
    .replaceAll(/@import[^;]*;(?:[^;]*;)*?(?=\s*(?:text|\.|$))/g, '')
    .replaceAll(/@import url\('[^']*'\);/g, '');
}

/** What the diagram says, for those who do not see it: its labels, in order. */
function describe(source: string): string {
  const labels = [...source.matchAll(/[[(]+([^\])]+)[\])]+|"([^"]+)"|: (.+)$/gm)].map(
    ([, node, edge, message]) => node ?? edge ?? message ?? '',
  );
  return `Diagram: ${[...new Set(labels)].join('; ')}`.replaceAll(/["<>&]|<br\s*\/?>/g, ' ');
}
