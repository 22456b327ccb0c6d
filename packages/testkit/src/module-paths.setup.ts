import { statSync } from 'node:fs';

// Where Node looked at a pipe or a socket last (the file before may have deleted one), it follows no links to modules: they would be
// loaded a second time, or not find those beside them. Now it has looked at a directory.
statSync('.');
