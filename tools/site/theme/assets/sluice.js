/* SPDX-License-Identifier: Apache-2.0 */
/* What the theme leaves out for readers with a keyboard or a screen reader: a name for the search,
   and a way to scroll wide tables, which it wraps while the page loads. */
(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  const mend = () => {
    for (const wide of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])"))
      wide.tabIndex = 0;
  };
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
  mend();
})();
