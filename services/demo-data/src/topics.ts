/** What a post can be about, as building blocks of sentences. */
export interface Topic {
  readonly tag: string;
  readonly related: readonly string[];
  /** Plural nouns in lower case: they follow "my", "the" and "about". */
  readonly things: readonly string[];
  /** Infinitives without "to". */
  readonly actions: readonly string[];
  /** Nouns with their article. */
  readonly tools: readonly string[];
  /** Whole sentences. */
  readonly lessons: readonly string[];
}

/** Twelve topics, different enough for a search to distinguish them. */
export const topics: readonly Topic[] = [
  {
    tag: 'gardening',
    related: ['outdoors', 'seasons', 'compost'],
    things: ['tomato seedlings', 'raised beds', 'climbing roses', 'heritage beans', 'apple saplings'],
    actions: [
      'keep slugs off the lettuce',
      'prune in late winter',
      'save seed',
      'water less often and more deeply',
    ],
    tools: ['a soil thermometer', 'a hand fork', 'a rain barrel', 'a roll of fleece'],
    lessons: [
      'Soil that stays covered needs half the water.',
      'A plant in the wrong place is only a plant waiting to be moved.',
      'The frost date on the packet was written for somebody else’s valley.',
      'Compost forgives almost everything except impatience.',
    ],
  },
  {
    tag: 'cycling',
    related: ['travel', 'fitness', 'commuting'],
    things: ['gravel roads', 'winter commutes', 'mountain passes', 'tubeless tyres', 'old steel frames'],
    actions: ['true a wheel', 'climb without burning out', 'pack for three days', 'ride safely in the dark'],
    tools: ['a chain checker', 'a torque wrench', 'a handlebar bag', 'a dynamo light'],
    lessons: [
      'Eat before you are hungry and rest before you are tired.',
      'Most creaks come from the seat post, whatever the internet says.',
      'A wider tyre at lower pressure is faster on every road I actually ride.',
      'The headwind is always in the direction of home.',
    ],
  },
  {
    tag: 'baking',
    related: ['food', 'sourdough', 'recipes'],
    things: ['rye loaves', 'croissants', 'sourdough starters', 'birthday cakes', 'flatbreads'],
    actions: ['shape a wet dough', 'read a crumb', 'bake in a cold kitchen', 'laminate butter without tears'],
    tools: ['a kitchen scale', 'a cast-iron pot', 'a bench scraper', 'a probe thermometer'],
    lessons: [
      'Watch the dough and ignore the clock.',
      'Salt is the ingredient you miss only when it is gone.',
      'A loaf cut warm is a loaf half wasted, and still worth it.',
      'Flour from another mill is another recipe.',
    ],
  },
  {
    tag: 'astronomy',
    related: ['science', 'night-sky', 'photography'],
    things: ['double stars', 'meteor showers', 'lunar craters', 'faint galaxies', 'the moons of Jupiter'],
    actions: [
      'find your way by constellations',
      'collimate a mirror',
      'sketch at the eyepiece',
      'beat city lights',
    ],
    tools: ['a red torch', 'a pair of binoculars', 'a reclining chair', 'a wide-angle eyepiece'],
    lessons: [
      'Dark adaptation takes twenty minutes to gain and one headlight to lose.',
      'The best telescope is the one that is already outside.',
      'Averted vision sounds like a joke until the galaxy appears.',
      'Cold optics and warm boots are the whole secret.',
    ],
  },
  {
    tag: 'woodworking',
    related: ['craft', 'furniture', 'hand-tools'],
    things: ['dovetail joints', 'oak boards', 'workbenches', 'spoon carvings', 'oil finishes'],
    actions: ['sharpen a plane iron', 'cut to the line', 'glue up alone', 'read the grain'],
    tools: ['a marking gauge', 'a low-angle block plane', 'a shooting board', 'a water stone'],
    lessons: [
      'Measure once with a ruler and twice against the piece itself.',
      'Every clamp you own is one fewer than you need.',
      'Wood moves, and furniture that forgets it cracks.',
      'Sharp is a habit, not an event.',
    ],
  },
  {
    tag: 'databases',
    related: ['software', 'postgresql', 'performance'],
    things: ['slow queries', 'partial indexes', 'migrations', 'connection pools', 'append-only tables'],
    actions: [
      'page through a million rows',
      'read a query plan',
      'change a schema without downtime',
      'test a backup',
    ],
    tools: ['an explain visualiser', 'a staging replica', 'a lock timeout', 'a query log'],
    lessons: [
      'An index that nobody uses is paid for by everybody who writes.',
      'A backup counts only after it has been restored.',
      'Offsets are cheap on page one and a confession on page one thousand.',
      'Constraints are documentation that cannot go out of date.',
    ],
  },
  {
    tag: 'graphql',
    related: ['software', 'api-design', 'federation'],
    things: [
      'nullable fields',
      'federated schemas',
      'persisted operations',
      'resolver timeouts',
      'entity keys',
    ],
    actions: [
      'evolve a schema without versions',
      'batch what resolvers load',
      'bound the cost of an operation',
      'split a graph between teams',
    ],
    tools: ['a schema linter', 'a data loader', 'a query planner', 'a trace viewer'],
    lessons: [
      'Nullability is an error-handling policy written in punctuation.',
      'A field that is easy to add is hard to remove.',
      'The client asks for exactly what it needs, and then for one thing more.',
      'If two teams own a type, in truth nobody does.',
    ],
  },
  {
    tag: 'hiking',
    related: ['outdoors', 'travel', 'maps'],
    things: ['ridge walks', 'mountain huts', 'paper maps', 'river crossings', 'long-distance trails'],
    actions: ['navigate in fog', 'dry boots overnight', 'carry less', 'turn around in time'],
    tools: ['a compass', 'a pair of poles', 'a wool layer', 'a folding saw'],
    lessons: [
      'The summit is halfway.',
      'Weather forecasts are plans made by somebody who is not coming along.',
      'Blisters are cheaper to prevent than to admire.',
      'A short day with time to look beats a long one without.',
    ],
  },
  {
    tag: 'music',
    related: ['practice', 'performance', 'listening'],
    things: ['slow scales', 'string quartets', 'field recordings', 'second-hand pianos', 'open-mic evenings'],
    actions: [
      'practise with a metronome',
      'play in front of people',
      'learn a piece by ear',
      'tune in equal temperament',
    ],
    tools: ['a metronome', 'a looper pedal', 'a notebook', 'a cheap recorder'],
    lessons: [
      'Ten minutes every day beat two hours on a Sunday.',
      'The rests are part of the tune.',
      'Recording yourself is unpleasant and that is precisely the use of it.',
      'Play it slowly enough that nothing goes wrong, then one notch faster.',
    ],
  },
  {
    tag: 'photography',
    related: ['craft', 'travel', 'film'],
    things: ['street portraits', 'film negatives', 'long exposures', 'family albums', 'grey mornings'],
    actions: [
      'meter for the shadows',
      'ask a stranger for a portrait',
      'print at home',
      'edit a thousand frames down to ten',
    ],
    tools: ['a fifty-millimetre lens', 'a sturdy tripod', 'a grey card', 'a changing bag'],
    lessons: [
      'Move your feet before you move the zoom.',
      'Overcast skies are the largest softbox there is.',
      'The picture you hesitate over is not one of the ten.',
      'Label the negatives tonight, because nobody ever labels them tomorrow.',
    ],
  },
  {
    tag: 'languages',
    related: ['learning', 'travel', 'reading'],
    things: ['irregular verbs', 'language exchanges', 'graded readers', 'regional accents', 'flash cards'],
    actions: [
      'order dinner without switching to English',
      'hear where words end',
      'read a first novel',
      'keep two languages apart',
    ],
    tools: ['a pocket dictionary', 'a podcast for learners', 'a patient friend', 'a stack of index cards'],
    lessons: [
      'You will be misunderstood, and it is the fastest teacher.',
      'Understanding arrives months before speaking and feels like nothing.',
      'Grammar explains what you already half know.',
      'A word met in a story stays longer than a word met in a list.',
    ],
  },
  {
    tag: 'home-repair',
    related: ['craft', 'energy', 'diy'],
    things: ['draughty windows', 'leaking taps', 'plaster walls', 'creaking stairs', 'old radiators'],
    actions: ['bleed a heating system', 'patch plaster', 'find a stud', 'stop a door from sticking'],
    tools: ['a multimeter', 'a caulking gun', 'a spirit level', 'a good head torch'],
    lessons: [
      'Find the stopcock before you need the stopcock.',
      'Every hole in a wall leads to an earlier owner’s opinion.',
      'The second coat is what the first coat looked like in your head.',
      'Buy the part after you have taken the old one out.',
    ],
  },
];
