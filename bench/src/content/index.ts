export type { ContentSize } from './content-rows.ts';
export { ContentExists, loadContent, type DatabaseUrls, type LoadOptions } from './load-content.ts';
export { isKept, measureContent, type Measurement, type MeasureOptions } from './measure-content.ts';
