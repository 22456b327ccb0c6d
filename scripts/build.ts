import { readConfig } from '@trellis/config';
console.log(typeof readConfig);
