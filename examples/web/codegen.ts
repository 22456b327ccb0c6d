import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types of every operation in src/, from the schema that clients see: `npx graphql-codegen` after a change of either. */
const config: CodegenConfig = {
  schema: '../../docs/api.graphql',
  documents: ['src/**/*.{ts,tsx}', '!src/generated/**'],
  ignoreNoDocuments: true,
  generates: {
    './src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        nonOptionalTypename: true,
        enumsAsTypes: true,
        strictScalars: true,
        defaultScalarType: 'unknown',
        scalars: { DateTime: 'string', JSON: 'unknown' },
      },
    },
  },
};

export default config;
