import { Link } from '../routing/link.tsx';
import { PageTitle } from '../routing/page-title.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** In the place of what does not exist, or not for this user. */
export function NotFound() {
  const { texts } = useTexts();
  return (
    <section className="welcome">
      <PageTitle label={texts.notFoundTitle}>{texts.notFoundTitle}</PageTitle>
      <p className="lead">{texts.notFoundText}</p>
      <Link href="/" className="button">
        {texts.toFeed}
      </Link>
    </section>
  );
}
