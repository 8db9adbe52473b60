Libraries in lib/: name, version, licence. The text of a licence that is meant here lies beside this file; of Apache-2.0,
in LICENSE; of others, in META-INF of the jar. What was chosen where there is a choice, and notices, are in NOTICE.

<#list dependencyMap as entry>
${entry.getKey().artifactId}  ${entry.getKey().version}  ${entry.getValue()?join(" or ")}
</#list>
