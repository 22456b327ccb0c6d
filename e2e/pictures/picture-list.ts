/** A picture of docs/pictures.md. */
export interface Picture {
  readonly title: string;
  /** What one sees: the text below it, and for those who don't see it. */
  readonly sentence: string;
}

/** All pictures by name, in the order of the page. Of each there are two files: NAME-light.webp and NAME-dark.webp. */
export const pictures = {
  landing: {
    title: 'Landing page',
    sentence: 'What a browser finds at the gateway: the graph, a first request to copy, and the way on.',
  },
  'explorer-plan': {
    title: 'Explorer: a response and its plan',
    sentence:
      'A query with a deferred part over three subgraphs: below the response the fetches as they ran, with requests, time and bytes.',
  },
  'explorer-deferred': {
    title: 'Explorer: the first part of a deferred response',
    sentence: 'The posts have arrived, the comments are still being fetched.',
  },
  'explorer-subscription': {
    title: 'Explorer: a subscription',
    sentence: 'An event a moment after someone else has published a post.',
  },
  'explorer-live': {
    title: 'Explorer: a live query',
    sentence: 'The whole result again whenever it has changed, here by a comment of another user.',
  },
  'explorer-error': {
    title: 'Explorer: an error and what its code means',
    sentence: 'Each code has a sentence, and a link to its row on the page of errors.',
  },
  'app-feed': {
    title: 'Sample application: the newest posts',
    sentence: 'A feed that goes on as one scrolls, and who else is here.',
  },
  'app-post': {
    title: 'Sample application: a post',
    sentence:
      'The post comes first, its comments follow in a part of their own, and new ones as they are written.',
  },
  'app-conflict': {
    title: 'Sample application: a conflict',
    sentence: 'Someone else has changed the post meanwhile: both versions, and the choice.',
  },
  'sign-in': { title: 'Auth-server: sign-in', sentence: 'A page without a script.' },
  consent: { title: 'Auth-server: consent', sentence: 'Who asks for what, before anything is given.' },
  account: {
    title: 'Auth-server: the account',
    sentence: 'Where one is signed in, which applications may do what, and what has happened.',
  },
  error: {
    title: 'Auth-server: an error',
    sentence:
      'What happened, the code with a link to its row, the reference that the log has, and the way back.',
  },
  console: { title: 'Console', sentence: 'Accounts, clients, keys, mail and the audit log for operators.' },
  'console-account': {
    title: 'Console: an account',
    sentence: 'Role, state, sessions and grants of one user.',
  },
  gateway: {
    title: 'The state of a gateway',
    sentence:
      'Which graph is served since when, subgraphs, slow and failing operations, clients, caches and limits.',
  },
} as const satisfies Readonly<Record<string, Picture>>;

/** The name of a picture. */
export type PictureName = keyof typeof pictures;

/** The animation that the page begins with. */
export const animation = {
  name: 'deferred-and-live',
  sentence:
    'A deferred response in its parts, then a live query while another user comments. Each part is held for a second here, so that one can see it.',
} as const;

/** Both looks of every page. */
export const schemes = ['light', 'dark'] as const;

/** A look of a page. */
export type Scheme = (typeof schemes)[number];

/** The files of all pictures. */
export function pictureFiles(): readonly string[] {
  return [animation.name, ...Object.keys(pictures)].flatMap((name) =>
    schemes.map((scheme) => `${name}-${scheme}.webp`),
  );
}

/** The text of docs/pictures.md. */
export function picturesPage(): string {
  const sections = Object.entries(pictures).map(
    ([name, { title, sentence }]) => `## ${title}\n\n${sentence}\n\n${pictureElement(name, sentence)}\n`,
  );
  return `# Pictures

Taken from the running platform by \`npm run pictures\`, with the demo data, in light and dark (as your system prefers). Times, addresses and ids are replaced by fixed ones.
\`npm run pictures -- --check\` takes them again and says by how much each differs; the proof \`pictures\` fails where they differ visibly.

## Deferred parts and a live query, in motion

${animation.sentence}

${pictureElement(animation.name, animation.sentence)}

${sections.join('\n')}`;
}

function pictureElement(name: string, sentence: string): string {
  return `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="pictures/${name}-dark.webp">
  <img src="pictures/${name}-light.webp" alt="${sentence}" width="1280" height="800">
</picture>`;
}
