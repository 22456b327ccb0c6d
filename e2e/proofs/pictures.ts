import { proof } from '@trellis/testkit';
import { measureDrift, TOLERANCE } from '../pictures/compare-pictures.ts';
import { takePictures } from '../pictures/take-pictures.ts';

/** Takes them again, small or in full. */
proof({
  name: 'pictures',
  description: 'the pictures of docs/pictures.md show the pages as they are',
  async run() {
    const drift = await takePictures(measureDrift);
    const drifted = [...drift].filter(([, percent]) => percent > TOLERANCE);
    return {
      passed: drift.size > 0 && drifted.length === 0,
      figures: {
        pictures: drift.size,
        mostPercent: Number(Math.max(...drift.values()).toFixed(2)),
        drifted: drifted.map(([name]) => name).join(' '),
      },
    };
  },
});
