import type { Random } from './random.ts';
import type { Topic } from './topics.ts';

type Template = (topic: Topic, random: Random) => string;

const DURATIONS = [
  'a weekend',
  'most of a winter',
  'three evenings',
  'the better part of a year',
  'ten days',
];
const PLACES = [
  'at home',
  'at my sister’s place',
  'in a borrowed garage',
  'up north',
  'two streets from here',
];

const titleTemplates: readonly Template[] = [
  ({ things }, random) => `What ${random.pick(things)} taught me about patience`,
  ({ things }, random) => `A beginner’s guide to ${random.pick(things)}`,
  ({ things }, random) => `The case for ${random.pick(things)}`,
  ({ things }, random) => `${capitalized(random.pick(things))}, one year later`,
  ({ actions }, random) => `How to ${random.pick(actions)}`,
  ({ actions }, random) => `Nobody told me how to ${random.pick(actions)}`,
  ({ actions }, random) =>
    `${random.pick(['Three', 'Four', 'Five', 'Seven'])} small ways to ${random.pick(actions)}`,
  ({ tools }, random) => `Do you really need ${random.pick(tools)}?`,
  ({ tools, actions }, random) => `With ${random.pick(tools)} you too can ${random.pick(actions)}`,
];

const openings: readonly Template[] = [
  ({ actions }, random) => `I spent ${random.pick(DURATIONS)} learning to ${random.pick(actions)}.`,
  ({ things }, random) => `For years I read about ${random.pick(things)} and never got further than reading.`,
  ({ tools }, random) => `It began with ${random.pick(tools)} that somebody was giving away.`,
  ({ things }, random) =>
    `Ask five people about ${random.pick(things)} and you will get six opinions; this is mine.`,
];

const bodies: readonly Template[] = [
  ({ lessons }, random) => random.pick(lessons),
  ({ lessons }, random) => `A friend put it better than I can. ${random.pick(lessons)}`,
  ({ tools, actions }, random) =>
    `What finally helped was ${random.pick(tools)}; without it I would still be trying to ${random.pick(actions)}.`,
  ({ tools }, random) => `I bought ${random.pick(tools)} on a whim, and it has not left my side since.`,
  ({ tools }, random) => `You can borrow ${random.pick(tools)} from almost anybody, so try before you buy.`,
  ({ things }, random) =>
    `My own ${random.pick(things).replace(/^the /, '')} are nothing special, but I know them by now.`,
  ({ things }, random) => `Most of what is written about ${random.pick(things)} skips the boring middle.`,
  ({ things }, random) =>
    `There is a club for people who care about ${random.pick(things)}, and they meet on Tuesdays.`,
  ({ things }, random) => `I used to think that ${random.pick(things)} were for experts.`,
  ({ actions }, random) =>
    `Learning to ${random.pick(actions)} is not the hard part; doing it again next week is.`,
  ({ actions }, random) =>
    `I tried it first ${random.pick(PLACES)}, where nobody could watch me ${random.pick(actions)}.`,
  ({ actions }, random) =>
    `You do not need talent to ${random.pick(actions)}, only a list and a pencil to tick it off.`,
  ({ actions }, random) =>
    `The first time I managed to ${random.pick(actions)}, I told everyone in the house.`,
  () => 'Write down what you did while you still remember why.',
  () => 'Half of this I learned from mistakes, and the other half from the mistakes of kinder people.',
];

const closings: readonly Template[] = [
  () => 'If you do it differently, tell me below; I would rather be corrected than right.',
  ({ things }, random) => `Next month I will come back to ${random.pick(things)} with measurements.`,
  ({ lessons }, random) => `If you remember one thing, let it be this. ${random.pick(lessons)}`,
  () => 'That is all there is to it, apart from the mistakes, which everybody has to make alone.',
];

const commentTemplates: readonly Template[] = [
  ({ actions }, random) =>
    `Thank you for this. I have tried to ${random.pick(actions)} since spring and gave up twice.`,
  ({ tools }, random) => `Which model would you buy today? I mean ${random.pick(tools)}, of course.`,
  ({ lessons }, random) => `My grandmother used to say: ${random.pick(lessons)}`,
  ({ things }, random) => `I disagree about ${random.pick(things)}, but I enjoyed every line.`,
  ({ actions }, random) => `Does this also work if you ${random.pick(actions)} only now and then?`,
  () => 'Saved for the weekend.',
  ({ things }, random) => `More about ${random.pick(things)}, please.`,
  ({ tools }, random) =>
    `I did the same with ${random.pick(tools)} from a flea market and it held for years.`,
  () => 'The second paragraph describes my whole last year.',
  ({ lessons }, random) => `“${random.pick(lessons)}” goes straight onto the wall.`,
];

/** A title of at most 100 characters or so. */
export function demoTitle(topic: Topic, random: Random): string {
  return random.pick(titleTemplates)(topic, random);
}

/** Two to four paragraphs, separated by empty lines. */
export function demoBody(topic: Topic, random: Random): string {
  const sentences = random.sample(bodies, 4 + random.below(8)).map((template) => template(topic, random));
  const opening = random.pick(openings)(topic, random);
  return [...paragraphs([opening, ...sentences]), random.pick(closings)(topic, random)].join('\n\n');
}

/** One or two sentences of a reader. */
export function demoComment(topic: Topic, random: Random): string {
  return random
    .sample(commentTemplates, 1 + random.below(2))
    .map((template) => template(topic, random))
    .join(' ');
}

function paragraphs(sentences: readonly string[]): readonly string[] {
  const size = 4;
  const count = Math.ceil(sentences.length / size);
  return Array.from({ length: count }, (_, index) =>
    sentences.slice(index * size, (index + 1) * size).join(' '),
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
