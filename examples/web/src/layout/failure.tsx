import { useTexts } from '../texts/texts-context.tsx';
import { describeError } from '../graph/describe-error.ts';

interface FailureProps {
  readonly error: unknown;
  /** What did not go, where the message alone does not say it. */
  readonly what?: string;
  readonly onRetry?: () => unknown;
}

/** Says what went wrong and what to do about it. */
export function Failure({ error, what, onRetry }: FailureProps) {
  const { texts } = useTexts();
  const { message, isRetryable } = describeError(error, texts);
  return (
    <div role="alert" className="notice notice-error">
      <p>
        {what && <strong>{what} </strong>}
        {message}
      </p>
      {isRetryable && onRetry && (
        <button type="button" className="button" onClick={() => void onRetry()}>
          {texts.tryAgain}
        </button>
      )}
    </div>
  );
}
