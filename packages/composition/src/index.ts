export { printApiSchema } from './api-schema.ts';
export { checks, type Check, type Finding } from './checks/index.ts';
export { changeKinds, shapeKinds, type ChangeCode } from './changes/change-kinds.ts';
export type { ChangeKind, UsageRule, Verdict } from './changes/change-kind.ts';
export { changeOf, type Change } from './changes/change.ts';
export type { GatewayMeaning, GraphMeaning } from './changes/graph-meaning.ts';
export { SupergraphDocument } from './changes/supergraph-document.ts';
export { compareGraphs, type ComparableGraph } from './compare-graphs.ts';
export {
  composeLoaded,
  composeSubgraphs,
  composeSupergraph,
  federationVersion,
  loadSubgraphs,
  otherVersionHints,
  type Composition,
} from './compose-supergraph.ts';
export {
  formatDiagnostic,
  formatLocation,
  ownProblems,
  type Diagnostic,
  type SourceLocation,
} from './diagnostic.ts';
export {
  composeAhead,
  composeBy,
  composersChoices,
  ComposerThreads,
  composerVersions,
  type ComparedComposition,
  type Composers,
} from './compose-by-both.ts';
export { composeContract, composeContracts, type ContractComposition } from './contracts/compose-contract.ts';
export type { ContractChange } from './contracts/compare-contracts.ts';
export { CompositionThread, type TimedComposition } from './threads/composition-thread.ts';
export { startProgram } from './threads/start-program.ts';
export { TaskThread, ThreadEnded } from './threads/task-thread.ts';
export { FileProblems } from './file-problems.ts';
export { CoordinateIndex } from './locate-coordinate.ts';
export { openRootFields } from './open-root-fields.ts';
export { operationOfLine, readOperations } from './operations/read-operations.ts';
export { OperationsMerge } from './operations/operations-merge.ts';
export type { UsageWindow } from './operations/usage-window.ts';
export type {
  OperationClient,
  RecordedOperation,
  RecordedOperations,
} from './operations/recorded-operation.ts';
export { listUsageFiles, pruneUsageFiles, type UsageFiles } from './operations/usage-files.ts';
export { operationsText } from './operations/write-operations.ts';
export { Usage, type UsedOperation } from './operations/usage.ts';
export { parseRelease, releaseText, type Release } from './release.ts';
export { excerptOf, printable, printableLine, type Sources } from './reports/excerpt.ts';
export {
  countReport,
  outcomeOf,
  type Report,
  type ReportedChange,
  type ReportedDiagnostic,
} from './reports/report.ts';
export { isReportForm, reportForms, writeReport, type ReportForm } from './reports/write-report.ts';
export { writeHtmlPage, type HtmlSection } from './reports/write-html.ts';
export { escapeMarkdown } from './reports/write-markdown.ts';
export { writeDiagnostics, writeText } from './reports/write-text.ts';
export {
  loadSubgraphSchema,
  SchemaNotReadable,
  type LoadOptions,
  type SubgraphSchema,
} from './subgraph-schema.ts';
export {
  parseSupergraphConfigText,
  readSupergraphConfig,
  type SchemaSource,
  type SubgraphConfig,
  type SupergraphConfig,
} from './supergraph-config.ts';
export { SupergraphConfigError } from './supergraph-config-error.ts';
export { type ContractRules } from './contracts/contract-rules.ts';
export { DEFAULT_CHECK_RULES, readCheckRules, type CheckRules } from './verdicts/approvals.ts';
export type { OperationCosts } from './verdicts/judge-change.ts';
export { reportChanges } from './verdicts/report-changes.ts';
export { extractSubgraphs, subgraphsOf } from './window/extract-subgraphs.ts';
export type { PlannedOperation } from './window/planned-operation.ts';
export { problemOfSubgraph } from './window/problem-of-subgraph.ts';
export { proveWindow, type WindowBounds, type WindowProof, type WindowSide } from './window/prove-window.ts';
export { reasons } from './window/order-of-deployment.ts';
export { reportedPlans, reportedWindow, unprovedParts, windowChanges } from './window/window-changes.ts';
export { describeRights } from './changes/compare-rights.ts';
export { operationCoordinates } from './operations/operation-uses.ts';
export type { ExplainedOperation } from './plans/explained-operation.ts';
export { writePlanSvg } from './plans/write-plan-svg.ts';
export { writePlanText } from './plans/write-plan-text.ts';
export { lintGraph } from './lint/lint-graph.ts';
export { lintRules } from './lint/lint-rules.ts';
export { orderExampleLink, orderExamples } from './window/order-examples.ts';
