export { pageLink, type PageReference } from './page-link.ts';
export { createProgress, type Progress, type Step } from './progress.ts';
export { createTerminal, wantsColors, type Paint, type Terminal } from './terminal.ts';
export { paintVerdicts } from './paint-verdicts.ts';
export { createWorkLines, type WorkLines } from './work-lines.ts';
