// report RUN: a merged run as a page, as JUnit or as SARIF.

#include "apps/common/output.hpp"
#include "apps/diffcheck/campaign_report.hpp"
#include "apps/diffcheck/run.hpp"
#include "io/output_file.hpp"

namespace toktier::diffcheck {

cli::ExitCode report(const ReportOptions& options, const cli::CommonOptions& common) {
  const diff::shards::CampaignSummary summary = diff::shards::read_summary(options.run);
  const std::string text = options.format == "html"    ? report_html(summary)
                           : options.format == "junit" ? report_junit(summary)
                                                       : report_sarif(summary);
  if (common.output.empty()) {
    cli::StandardOutput out;
    out.write(text);
    out.flush();
  } else {
    io::OutputFile file(common.output);
    file.write(text);
    file.commit();
  }
  return cli::ExitCode::ok;
}

}  // namespace toktier::diffcheck
